import Crypto
import Testing

@testable import CaptureProtocol

@Suite("What devices sign")
struct SignedMessagesTests {
    private static let (photo, depth, metadata) = (ContentDigest(of: [1]), ContentDigest(of: [2]), ContentDigest(of: [3]))

    @Test("a request of version 1 covers the timestamp and the body")
    func version1() {
        let text = RequestMessage.text(
            version: 1, method: "POST", target: "/api/v1/captures", timestamp: "1795000000000", deviceID: "d", bodyDigest: Self.photo)
        #expect(text == "1795000000000|\(Self.photo.hex)")
    }

    @Test("a request of version 2 covers method, path with query, timestamp, device and body, one per line")
    func version2() {
        let text = RequestMessage.text(
            version: 2, method: "GET", target: "/a?b=c", timestamp: "1795000000000", deviceID: "d", bodyDigest: Self.photo)
        #expect(text == "rial-request-v2\nGET\n/a?b=c\n1795000000000\nd\n\(Self.photo.hex)")
    }

    @Test("an attestation covers the challenge, and the request key behind it where there is one")
    func registration() {
        #expect(RegistrationClientData.hash(challenge: [1, 2], requestKey: nil).bytes == Array(SHA256.hash(data: [1, 2])))
        #expect(RegistrationClientData.hash(challenge: [1, 2], requestKey: [3]).bytes == Array(SHA256.hash(data: [1, 2, 3])))
    }

    @Test("a capture's signature covers photo, depth and metadata, after a tag of its own")
    func capture() {
        let message = Array("rial-capture-v2\0".utf8) + Self.photo.bytes + Self.depth.bytes + Self.metadata.bytes
        let hash = CaptureClientData.hash(photo: Self.photo, depth: Self.depth, metadata: Self.metadata)
        #expect(hash.bytes == Array(SHA256.hash(data: message)))
    }

    @Test("older forms are tried afterwards, the one that covers most first")
    func candidates() {
        let both = ContentDigest(of: [1, 2])
        let all = CaptureClientData.candidates(photo: Self.photo, depth: Self.depth, metadata: Self.metadata, photoThenDepth: both)
        #expect(all.map(\.binding) == [.photoDepthMetadata, .photoDepth, .photoDepth, .photo])
        #expect(all.map(\.hash)[1...] == [ContentDigest(of: both.bytes), both, Self.photo])
        let photoAlone = CaptureClientData.candidates(photo: Self.photo, depth: nil, metadata: Self.metadata, photoThenDepth: nil)
        #expect(photoAlone.map(\.binding) == [.photo])
    }
}

@Suite("Kinds of captures")
struct CaptureKindTests {
    @Test("each is identified by its type and mode alone", arguments: CaptureKind.allCases)
    func words(kind: CaptureKind) {
        #expect(CaptureKind(type: kind.type, mode: kind.mode) == kind)
        #expect(CaptureKind(type: kind.type.rawValue, mode: kind.mode.rawValue) == kind)
    }

    @Test("a hash-only capture's signature covers the payload's bytes, after a tag of its own")
    func hashOnly() {
        let expected = ContentDigest(of: Array("rial-hash-only-v1".utf8) + [0] + Array("{}".utf8))
        #expect(HashOnlyClientData.hash(payload: Array("{}".utf8)) == expected)
    }

    @Test("unknown words are not a kind", arguments: [("sound", "full"), ("photo", ""), ("", "full")])
    func unknown(type: String, mode: String) {
        #expect(CaptureKind(type: type, mode: mode) == nil)
    }
}
