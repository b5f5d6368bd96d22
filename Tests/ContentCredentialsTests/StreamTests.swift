import Testing

@testable import ContentCredentials

@Suite("Bytes in memory as the library reads and writes them")
struct StreamTests {
    private func read(_ stream: MemoryStream, _ count: Int) -> [UInt8]? {
        var target = [UInt8](repeating: 0xEE, count: max(count, 0))
        let read = target.withUnsafeMutableBufferPointer { stream.read($0.baseAddress, count) }
        return read < 0 ? nil : Array(target.prefix(read))
    }

    private func write(_ stream: MemoryStream, _ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBufferPointer { stream.write($0.baseAddress, $0.count) }
    }

    @Test("are read in pieces to their end, and again after a seek")
    func reads() {
        let stream = MemoryStream([1, 2, 3, 4, 5], maximumBytes: 5)
        #expect(read(stream, 2) == [1, 2] && read(stream, 10) == [3, 4, 5] && read(stream, 1) == [])
        #expect(stream.seek(-2, 2) == 3 && read(stream, 1) == [4])
        #expect(stream.seek(-3, 1) == 1 && read(stream, 1) == [2])
        #expect(stream.seek(9, 0) == 9 && read(stream, 1) == [])
    }

    @Test("are overwritten, extended, and filled with zeros where nothing was written")
    func writes() {
        let stream = MemoryStream([1, 2, 3], maximumBytes: 8)
        #expect(stream.seek(2, 0) == 2 && write(stream, [7, 8]) == 2 && stream.bytes == [1, 2, 7, 8])
        #expect(stream.seek(6, 0) == 6 && write(stream, [9]) == 1 && stream.bytes == [1, 2, 7, 8, 0, 0, 9])
        #expect(stream.seek(0, 0) == 0 && write(stream, [5]) == 1 && stream.bytes.first == 5)
    }

    @Test("take no more than their largest size, and no position outside of all numbers")
    func bounds() {
        let stream = MemoryStream([1], maximumBytes: 4)
        #expect(stream.seek(0, 2) == 1 && !stream.hasRefused)
        #expect(stream.seek(1, 0) == 1 && write(stream, [2, 3, 4, 5]) == -1 && stream.bytes == [1])
        #expect(stream.seek(.max, 0) == .max && write(stream, [2]) == -1)
        #expect(stream.seek(1, 1) == -1 && stream.seek(-1, 0) == -1 && stream.seek(0, 3) == -1 && stream.seek(.min, 2) == -1)
        #expect(stream.read(nil, 1) == -1 && stream.write(nil, 1) == -1 && read(stream, 1) == [])
        #expect(stream.seek(0, 0) == 0)
        #expect(read(stream, -1) == nil)
        #expect(stream.hasRefused)
    }

    @Test("say that they refused what no file could do", arguments: [true, false])
    func refusals(isPosition: Bool) {
        let stream = MemoryStream([1], maximumBytes: 4)
        let result = isPosition ? stream.seek(-2, 2) : write(stream, [1, 2, 3, 4, 5])
        #expect(result == -1 && stream.hasRefused)
    }
}
