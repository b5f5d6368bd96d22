import Testing

@testable import Attestation

@Suite("CBOR of App Attest objects")
struct CBORTests {
    /// A text of so many bytes, with its length in two bytes.
    private static func text(_ bytes: Int) -> [UInt8] {
        [0x79, UInt8(bytes >> 8), UInt8(bytes & 255)] + [UInt8](repeating: 0x61, count: bytes)
    }

    @Test("has texts of at most 256 bytes")
    func texts() throws {
        let most = try CBOR.decode(Self.text(256)[...])
        #expect(most.textString?.utf8.count == 256)
        #expect(throws: CBORError.unsupported) { try CBOR.decode(Self.text(257)[...]) }
    }

    @Test("with a key of nothing but combining marks is refused before it is compared", .timeLimit(.minutes(1)))
    func marks() {
        let key = Array(("a" + String(repeating: "\u{300}\u{323}", count: 15_000)).utf8)
        let head: [UInt8] = [0xa1, 0x79, UInt8(key.count >> 8), UInt8(key.count & 255)]
        let map = head + key + [0x01]
        #expect(throws: CBORError.unsupported) { try CBOR.decode(map[...]) }
    }
}
