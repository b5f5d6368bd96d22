import CaptureKit
import CaptureProtocol
import Crypto
import Testing

@Suite("A sealed file that was tampered with")
struct TamperedFileTests {
    private let memory = PowerCutFiles(folder: "/store")
    private let key = SymmetricKey(size: .bits256)
    private let item = SealedItem(LocalID(), .photo)
    /// Three chunks; the last has 100 bytes.
    private let original: [UInt8]

    private static let header = 41
    private static let chunk = 65_552

    /// Sizes in the header, in the first chunk, around the two chunks' ends, and in the last chunk.
    private static let truncations: [Int] = {
        let ends = [header + chunk, header + 2 * chunk]
        let around = ends.flatMap { end in [-17, -16, -1, 0, 1, 15, 16, 17].map { end + $0 } }
        return [0, 1, 8, 40, 41, 42, 56, 57, 58, 65_000] + around + [1, 16, 17].map { header + 2 * chunk + 116 - $0 }
    }()

    private var sealed: SealedFiles { SealedFiles(folder: "/store", key: key, files: memory) }

    init() throws {
        let writer = try SealedFiles(folder: "/store", key: key, files: memory).create(item)
        try writer.write(.noise(2 * 65_536 + 100))
        _ = try writer.commit()
        original = try #require(memory.bytes(of: Self.path(item)))
    }

    private static func path(_ item: SealedItem) -> String { "/store/\(item.capture).\(item.kind.rawValue)" }

    /// Why a file with these bytes is refused; `nil` if it is not.
    private func refusal(of bytes: [UInt8], as other: SealedItem? = nil, key otherKey: SymmetricKey? = nil) throws -> SealError? {
        let item = other ?? item
        memory.put(bytes, at: Self.path(item))
        do {
            let reader = try SealedFiles(folder: "/store", key: otherKey ?? key, files: memory).open(item)
            _ = try reader.read(count: .max, at: 0)
            return nil
        } catch let error as SealError {
            return error
        }
    }

    @Test("opens while nothing was changed")
    func unchanged() throws { #expect(try refusal(of: original) == nil) }

    @Test("is refused if a byte of the header was changed", arguments: 0..<41)
    func header(index: Int) throws {
        var bytes = original
        bytes[index] ^= 1
        #expect(try refusal(of: bytes) == (index == 8 ? .unknownVersion : .notAuthentic))
    }

    @Test("is refused if a byte of a chunk or its tag was changed", arguments: 0..<3)
    func chunk(number: Int) throws {
        let start = Self.header + number * Self.chunk
        let end = min(start + Self.chunk, original.count)
        for index in [start, (start + end) / 2, end - 17, end - 16, end - 8, end - 1] {
            var bytes = original
            bytes[index] ^= 0x80
            #expect(try refusal(of: bytes) == .notAuthentic)
        }
    }

    @Test("gives the chunks that are authentic and no other")
    func damagedChunk() throws {
        var bytes = original
        bytes[Self.header + Self.chunk] ^= 1
        memory.put(bytes, at: Self.path(item))
        let reader = try sealed.open(item)
        let plain = [UInt8].noise(2 * 65_536 + 100)
        #expect(try reader.read(count: 65_536, at: 0) == Array(plain.prefix(65_536)))
        #expect(throws: SealError.notAuthentic) { try reader.read(count: 1, at: 65_536) }
        #expect(throws: SealError.notAuthentic) { try reader.read(count: 2, at: 65_535) }
        #expect(try reader.read(count: 100, at: 131_072) == Array(plain.suffix(100)))
    }

    @Test("is refused if it was cut off", arguments: truncations)
    func truncated(count: Int) throws {
        #expect(count < original.count)
        #expect(try refusal(of: Array(original.prefix(count))) == .notAuthentic)
    }

    @Test("is refused behind the place where it was cut off, too", arguments: [Int64(65_536), 65_537, 131_072, .max])
    func truncatedBefore(offset: Int64) throws {
        memory.put(Array(original.prefix(Self.header + Self.chunk)), at: Self.path(item))
        let reader = try sealed.open(item)
        #expect(throws: SealError.notAuthentic) { try reader.read(count: 10, at: offset) }
    }

    @Test("is refused if it was extended", arguments: [1, 15, 16, 17, 100, 65_436, 65_437, 65_452, 70_000])
    func extended(count: Int) throws { #expect(try refusal(of: original + [UInt8](repeating: 0, count: count)) == .notAuthentic) }

    @Test(
        "is refused if chunks were swapped, repeated or left out",
        arguments: [[1, 0, 2], [0, 0, 2], [0, 1, 1, 2], [0, 1, 2, 2], [0, 2], [2], [0, 1, 2, 0]])
    func moved(order: [Int]) throws {
        let chunks = (0..<3).map { Array(original.dropFirst(Self.header + $0 * Self.chunk).prefix(Self.chunk)) }
        let bytes = Array(original.prefix(Self.header)) + order.flatMap { chunks[$0] }
        #expect(try refusal(of: bytes) == .notAuthentic)
    }

    @Test("is refused as another kind or capture, and under another key")
    func renamed() throws {
        for kind in SealedKind.allCases where kind != item.kind {
            #expect(try refusal(of: original, as: SealedItem(item.capture, kind)) == .notAuthentic)
        }
        #expect(try refusal(of: original, as: SealedItem(LocalID(), .photo)) == .notAuthentic)
        #expect(try refusal(of: original, key: SymmetricKey(size: .bits256)) == .notAuthentic)
    }

    @Test("is refused with a chunk of another sealing of the same item")
    func mixed() throws {
        let writer = try sealed.create(item)
        try writer.write(.noise(2 * 65_536 + 100))
        _ = try writer.commit()
        let other = try #require(memory.bytes(of: Self.path(item)))
        let end = Self.header + Self.chunk
        #expect(try refusal(of: Array(original[..<end] + other[end...])) == .notAuthentic)
    }
}
