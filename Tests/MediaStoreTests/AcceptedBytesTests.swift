import CaptureProtocol
import Models
import ObjectStorage
import TestSupport
import Testing

@testable import MediaStore

@Suite("Accepted bytes")
struct AcceptedBytesTests {
    static let photo: [UInt8] = [0xff, 0xd8, 1, 2, 3]
    static let depth: [UInt8] = [4, 5]
    private let capture = CaptureID()
    private let store = MemoryObjectStore()

    private func intake(_ name: String, _ bytes: [UInt8]) -> StoredMedia {
        StoredMedia(
            key: "incoming/\(capture)/\(name)", sha256: ContentDigest(of: bytes), sizeBytes: Int64(bytes.count), contentType: "image/jpeg")
    }

    private func put(_ object: StoredMedia, _ bytes: [UInt8]) async throws {
        try await store.put(object.key, bytes: bytes, contentType: object.contentType)
    }

    @Test("come from intake while they lie there, else from their final key")
    func places() async throws {
        let object = intake("photo", Self.photo)
        try await put(object, Self.photo)
        let first = try await store.accepted(object, keptAs: .original, of: capture)
        #expect(first.bytes == Self.photo && first.source == object)
        let kept = object.kept(as: .original, of: capture)
        #expect(kept.key == "captures/\(capture)/original.jpg" && kept.sha256 == object.sha256)
        try await store.copy(from: object.key, to: kept.key)
        try await store.delete([object.key])
        let second = try await store.accepted(object, keptAs: .original, of: capture)
        #expect(second.bytes == Self.photo && second.source == kept)
        try await store.delete([kept.key])
        #expect(await rejection { _ = try await store.accepted(object, keptAs: .original, of: capture) } == .intakeMissing)
        #expect(await rejection { _ = try await store.accepted(kept, missing: .originalMissing) } == .originalMissing)
    }

    @Test("are no other bytes, of whatever length, at either place", arguments: [[1, 2, 3, 4, 5], [1], []] as [[UInt8]])
    func swapped(bytes: [UInt8]) async throws {
        let object = intake("photo", Self.photo)
        try await put(object.kept(as: .original, of: capture), bytes)
        #expect(await rejection { _ = try await store.accepted(object, keptAs: .original, of: capture) } == .digestMismatch)
        try await put(object, bytes)
        #expect(await rejection { _ = try await store.accepted(object, keptAs: .original, of: capture) } == .digestMismatch)
        #expect(await rejection { _ = try await store.accepted(object, missing: .originalMissing) } == .digestMismatch)
    }

    @Test(
        "a store that is away says nothing of the capture", arguments: [ObjectStorageError.Code.unavailable, .accessDenied, .noSuchBucket])
    func away(code: ObjectStorageError.Code) async throws {
        let object = intake("photo", Self.photo)
        try await put(object, Self.photo)
        store.refuse { $0.verb == .get ? code : nil }
        await #expect { _ = try await store.accepted(object, keptAs: .original, of: capture) } throws: {
            ($0 as? ObjectStorageError)?.code == code
        }
    }

    @Test("are hashed one after the other, all from one of the two places")
    func digests() async throws {
        let objects = [(object: intake("photo", Self.photo), name: MediaName.original), (intake("depth", Self.depth), .depth)]
        let expected = ContentDigest(of: Self.photo + Self.depth)
        try await put(objects[0].object, Self.photo)
        try await put(objects[1].object, Self.depth)
        #expect(try await store.acceptedDigest(ofAll: objects, of: capture) == expected)
        for (object, name) in objects { try await store.copy(from: object.key, to: object.kept(as: name, of: capture).key) }
        try await store.delete([objects[1].object.key])
        #expect(try await store.acceptedDigest(ofAll: objects, of: capture) == expected)
        try await put(objects[1].object.kept(as: .depth, of: capture), [9, 9])
        #expect(await rejection { _ = try await store.acceptedDigest(ofAll: objects, of: capture) } == .digestMismatch)
    }

    @Test("what is made of a capture lies under a key that its bytes name")
    func derived() async throws {
        let stored = try await store.storeDerived(Self.photo, named: .thumbnail, of: capture)
        let digest = ContentDigest(of: Self.photo)
        let stem = MediaName.thumbnail.rawValue.prefix { $0 != "." }
        #expect(stored.key == "captures/\(capture)/\(stem)-\(digest.hex).jpg")
        #expect(stored.sha256 == digest && stored.sizeBytes == 5 && stored.contentType == "image/jpeg")
        #expect(store.bytes(stored.key) == Self.photo)
        // The next object has a different key.
        let other = try await store.storeDerived(Self.depth, named: .thumbnail, of: capture)
        #expect(other.key != stored.key && store.keys == [stored.key, other.key])
    }
}
