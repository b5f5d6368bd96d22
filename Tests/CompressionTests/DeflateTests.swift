import Compression
import TestSupport
import Testing

@Suite("Deflate")
struct DeflateTests {
    private static let text = Array(String(repeating: "What the light said, and how far away it was. ", count: 400).utf8)

    @Test(
        "compresses so that everything comes back, in each wrapping and at each level",
        arguments: [Deflate.Wrapping.gzip, .zlib, .none], [Int32(1), 5, 6, 9])
    func comesBack(wrapping: Deflate.Wrapping, level: Int32) throws {
        for bytes in [Self.text, HostileBytes.noise(100_000), [], [0], [UInt8](repeating: 0, count: 3_000_000)] {
            let compressed = try Deflate.compress(bytes, wrapping: wrapping, level: level)
            #expect(inflated(compressed, windowBits: wrapping.rawValue, limit: bytes.count) == bytes)
        }
        #expect(try Deflate.compress(Self.text, wrapping: wrapping, level: level).count < Self.text.count / 20)
    }

    @Test("gives the same bytes for the same bytes: no time, no name")
    func isDeterministic() throws {
        let first = try Deflate.compress(Self.text)
        #expect(try Deflate.compress(Self.text) == first)
        // RFC 1952 §2.3: magic, deflate, no flags, no modification time.
        #expect(first.prefix(8) == [0x1f, 0x8b, 8, 0, 0, 0, 0, 0])
    }

    @Test("refuses an unknown compression level", arguments: [Int32(-2), 10, 100])
    func refusesLevels(level: Int32) {
        #expect(throws: DeflateError.self) { try Deflate.compress([1], level: level) }
    }
}
