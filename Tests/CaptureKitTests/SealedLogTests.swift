import CaptureProtocol
import Crypto
import Synchronization
import Testing

@testable import CaptureKit

@Suite("A sealed log")
struct SealedLogTests {
    private let memory = PowerCutFiles(folder: "/store")
    private let key = SymmetricKey(size: .bits256)
    private let item = SealedItem(LocalID(), .recording)
    private let entries: [[UInt8]] = [[], [1], .noise(100), .noise(200_000), Array("plain to see".utf8)]

    private var sealed: SealedFiles { SealedFiles(folder: "/store", key: key, files: memory) }
    private var path: String { "/store/\(item.capture).recording" }

    private func written() throws -> [UInt8] {
        let log = try sealed.createLog(item)
        for entry in entries { try log.append(entry) }
        let file = try memory.open(path)
        return try file.read(Int(try file.sizeBytes), at: 0)
    }

    /// What a reader gets of a file with these bytes.
    private func entries(of bytes: [UInt8], as item: SealedItem? = nil) throws -> [[UInt8]] {
        let files = PowerCutFiles(folder: "/other")
        try files.create("/other/log").write(bytes)
        var log = try SealedLogReader(try files.open("/other/log"), item: item ?? self.item, storeKey: key)
        var entries: [[UInt8]] = []
        while let entry = try log.next() { entries.append(entry) }
        return entries
    }

    @Test("gives back its entries while it is being written, and shows none of them")
    func whole() throws {
        let bytes = try written()
        #expect(try entries(of: bytes) == entries)
        #expect(bytes.firstRange(of: entries[4]) == nil)
        #expect(bytes.count == 41 + entries.reduce(0) { $0 + $1.count + 20 })
    }

    @Test("gives back all that was written whole, wherever it was cut", arguments: [0, 1, 19, 20, 21, 41, 500, 200_100])
    func cut(missing: Int) throws {
        let found = try entries(of: written().dropLast(missing))
        #expect(found == Array(entries.prefix(found.count)))
        #expect(found.count == (missing == 0 ? 5 : missing < 33 ? 4 : missing < 200_053 ? 3 : 2))
    }

    @Test("ends where it was changed, exchanged or doubled")
    func changed() throws {
        let bytes = try written()
        var flipped = bytes
        flipped[41 + 20 + 21 + 5] ^= 1
        #expect(try entries(of: flipped) == Array(entries.prefix(2)))
        let (first, second) = (bytes[41..<61], bytes[61..<82])
        #expect(try entries(of: Array(bytes[..<41] + second + first + bytes[82...])) == [])
        #expect(try entries(of: Array(bytes[..<61] + first + bytes[61...])) == [[]])
        #expect(try entries(of: Array(bytes[..<61]) + [0xFF, 0xFF, 0xFF, 0xFF] + bytes[65...]) == [[]])
    }

    @Test("opens as nothing else")
    func otherItem() throws {
        let bytes = try written()
        #expect(try entries(of: bytes, as: SealedItem(LocalID(), .recording)) == [])
        #expect(try entries(of: bytes, as: SealedItem(item.capture, .video)) == [])
        #expect(throws: SealError.notAuthentic) { try entries(of: Array(bytes.prefix(40))) }
    }

    @Test("takes nothing more after an entry that was not written whole")
    func torn() throws {
        let file = CrampedFile()
        let log = try SealedLogWriter(file, cipher: ChunkCipher(sealing: item, with: key))
        try log.append([1])
        file.setRoom(10)
        #expect(throws: FileError.noSpace) { try log.append([2]) }
        file.setRoom(.max)
        #expect(throws: FileError.noSpace) { try log.append([3]) }
        #expect(throws: FileError.noSpace) { try log.sync() }
        #expect(file.bytes.count == 41 + 21 + 10, "no nonce is used twice")
        #expect(try entries(of: file.bytes) == [[1]])
    }
}

/// A file on a disk that may be full for a while: then it takes the beginning of what is written.
private final class CrampedFile: WritableFile {
    private let state = Mutex((bytes: [UInt8](), room: Int.max))

    var bytes: [UInt8] { state.withLock { $0.bytes } }

    /// - Parameter room: bytes that can be written from now on.
    func setRoom(_ room: Int) { state.withLock { $0.room = room } }

    func write(_ bytes: [UInt8]) throws(FileError) {
        let isWhole = state.withLock { state in
            let room = state.room
            state.bytes += bytes.prefix(room)
            state.room = max(0, room - bytes.count)
            return bytes.count <= room
        }
        guard isWhole else { throw .noSpace }
    }

    func sync() throws(FileError) {}
}
