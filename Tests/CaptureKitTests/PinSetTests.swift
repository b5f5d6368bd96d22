import CaptureKit
import CaptureProtocol
import Crypto
import Foundation
import Testing

@Suite("Pins")
struct PinSetTests {
    private let digest = ContentDigest(of: Array("a server's key".utf8))
    private let next = ContentDigest(of: Array("its next key".utf8))

    @Test("are read from hex of either case and from base64, several at once")
    func texts() throws {
        for text in [digest.hex, digest.hex.uppercased(), Base64.encode(digest.bytes)] {
            let pins = try PinSet(texts: [text, next.hex])
            #expect(pins == PinSet([digest, next]))
            #expect(pins.contains(spkiSHA256: digest) && pins.contains(spkiSHA256: next))
            #expect(!pins.contains(spkiSHA256: ContentDigest(of: [UInt8]())))
        }
    }

    @Test("are refused as a whole if one is mistyped", arguments: ["", "sha256/", "00", String(repeating: "g", count: 64), "AAAA"])
    func mistyped(text: String) {
        #expect(throws: PinError(text: text)) { try PinSet(texts: [digest.hex, text]) }
    }

    @Test("of a P-256 key are found by its point alone")
    func point() {
        let key = P256.Signing.PrivateKey().publicKey
        let pins = PinSet([ContentDigest(of: key.derRepresentation), next])
        let point = Array(key.x963Representation)
        #expect(pins.contains(p256Point: point))
        #expect(!PinSet([next]).contains(p256Point: point))
        #expect(!pins.contains(p256Point: Array(P256.Signing.PrivateKey().publicKey.x963Representation)))
    }

    @Test("contain no key whose bytes are not an uncompressed point of P-256")
    func otherKeys() {
        let key = P256.Signing.PrivateKey().publicKey
        let pins = PinSet([ContentDigest(of: key.derRepresentation)])
        let point = Array(key.x963Representation)
        for bytes in [[], Array(point.dropLast()), point + [0], [2] + point.dropFirst(), Array(key.rawRepresentation)] {
            #expect(!pins.contains(p256Point: bytes))
        }
    }

    @Test("let requests go by https to any server", arguments: ["https://rial.app", "HTTPS://127.0.0.1:8443"])
    func pinned(server: String) throws {
        let url = try #require(URL(string: server))
        #expect(PinSet([digest]).permits(url))
        #expect(!PinSet.none.permits(url))
        #expect(PinSet.none.permits(url, inDevelopment: true))
    }

    @Test(
        "are not needed by http to this machine",
        arguments: ["http://localhost:8080", "http://LOCALHOST", "http://127.0.0.1", "http://127.8.9.10", "http://[::1]:8080"])
    func loopback(server: String) throws {
        #expect(PinSet.none.permits(try #require(URL(string: server))))
    }

    @Test(
        "do not allow http to another machine",
        arguments: [
            "http://rial.app", "http://127.evil.example", "http://127.0.0.1.evil.example", "http://10.0.0.1",
            "http://localhost.evil.example",
        ])
    func plain(server: String) throws {
        let url = try #require(URL(string: server))
        #expect(!PinSet([digest]).permits(url))
        #expect(PinSet.none.permits(url, inDevelopment: true))
    }

    @Test("allow no other scheme, even in development", arguments: ["ftp://localhost", "file:///tmp/x", "localhost"])
    func otherSchemes(server: String) throws {
        #expect(!PinSet([digest]).permits(try #require(URL(string: server)), inDevelopment: true))
    }
}
