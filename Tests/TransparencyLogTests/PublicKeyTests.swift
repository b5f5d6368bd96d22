import CaptureProtocol
import Testing
import TransparencyLog

@Suite("Public keys")
struct PublicKeyTests {
    /// All encodings of points of small order, also those that are not canonical.
    private static let smallOrder: [String] = [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ]

    @Test("of small order are refused, whatever the sign", arguments: Self.smallOrder)
    func refused(hex: String) throws {
        let name = try #require(TextLine("log.example"))
        var key = try #require(Hex.decode(hex))
        for kind in KeyKind.allCases {
            for sign: UInt8 in [0, 0x80] {
                key[31] = key[31] & 0x7f | sign
                #expect(refusal { _ = try VerifierKey(name: name, kind: kind, publicKey: key) } == .malformedKey)
                let id = ContentDigest(of: name.bytes + [0x0a, kind.rawValue] + key).hex.prefix(8)
                #expect(refusal { _ = try VerifierKey("log.example+\(id)+\(Base64.encode([kind.rawValue] + key))") } == .malformedKey)
            }
        }
    }

    @Test("above the field's prime, of another length, or without a proper name are refused")
    func others() throws {
        let name = try #require(TextLine("log.example"))
        let key = try signer("log.example").verifier.publicKey
        let large = [0xf0] + Array(repeating: UInt8(0xff), count: 30) + [0x7f]
        for other in [large, [], Array(key.dropLast()), key + [0]] {
            #expect(refusal { _ = try VerifierKey(name: name, kind: .log, publicKey: other) } == .malformedKey)
        }
        for text in ["a b", "a+b", "a\u{2003}b"] {
            let name = try #require(TextLine(text))
            #expect(refusal { _ = try VerifierKey(name: name, kind: .log, publicKey: key) } == .malformedKey)
        }
        #expect(refusal { _ = try VerifierKey(String(repeating: "a", count: 2000)) } == .malformedKey)
    }
}
