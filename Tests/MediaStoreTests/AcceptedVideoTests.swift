import Blocking
import CaptureProtocol
import Foundation
import MediaStore
import Models
import Movie
import ObjectStorage
import TestSupport
import Testing

@Suite("Accepted videos")
struct AcceptedVideoTests {
    private let capture = CaptureID()
    private let store = MemoryObjectStore()
    private let recorded: RecordedVideo

    init() throws { recorded = try RecordedVideo(seconds: 1, startedAt: Date(timeIntervalSince1970: 1_795_240_800)) }

    private func object(_ bytes: [UInt8]) -> StoredMedia {
        let name = MediaName.originalVideo
        return StoredMedia(
            key: name.key(of: capture), sha256: ContentDigest(of: bytes), sizeBytes: Int64(bytes.count), contentType: name.contentType)
    }

    private func put(_ object: StoredMedia, _ bytes: [UInt8]) async throws {
        try await store.put(object.key, bytes: bytes, contentType: object.contentType)
    }

    private func accept(_ object: StoredMedia, missing: FailureReason = .intakeMissing) async throws -> AcceptedVideo {
        try await AcceptedVideo(object, in: store, missing: missing, scratchFolder: FileManager.default.temporaryDirectory.path)
    }

    @Test("are read once, into a file, with their tables")
    func whole() async throws {
        let object = object(recorded.video)
        try await put(object, recorded.video)
        let video = try await accept(object)
        #expect(try video.file.bytes() == recorded.video)
        #expect(video.movie.video.samples.map(\.size) == recorded.frames.map(\.count))
        #expect(store.requests.filter { $0.verb == .get } == [.init(.get, object.key)])
    }

    @Test("are missing for the reason that the reader gives", arguments: [FailureReason.intakeMissing, .originalMissing])
    func missing(reason: FailureReason) async throws {
        #expect(await rejection { _ = try await accept(object(recorded.video), missing: reason) } == reason)
    }

    @Test("are no other bytes, and no file that is no movie")
    func swapped() async throws {
        let accepted = object(recorded.video)
        var changed = recorded.video
        changed[changed.count - 1] ^= 1
        try await put(accepted, changed)
        #expect(await rejection { _ = try await accept(accepted) } == .digestMismatch)
        let text = Array("This is no video.".utf8)
        try await put(object(text), text)
        #expect(await rejection { _ = try await accept(object(text)) } == .captureUnreadable)
    }

    @Test("that changed in the store are no fault of who sent them, wherever the change is", arguments: [5, 100, -1])
    func changed(place: Int) async throws {
        let object = object(recorded.video)
        try await put(object, recorded.video)
        store.stream(inPiecesOf: 64)
        #expect(try await accept(object).file.bytes() == recorded.video)
        store.damage(object.key, at: place < 0 ? recorded.video.count + place : place)
        #expect(await rejection { _ = try await accept(object) } == .digestMismatch)
    }

    @Test("a store that is away, or a disk without room, says nothing of the capture")
    func away() async throws {
        let object = object(recorded.video)
        try await put(object, recorded.video)
        await #expect(throws: NamelessFile.Failure.self) {
            _ = try await AcceptedVideo(object, in: store, missing: .intakeMissing, scratchFolder: "/does/not/exist")
        }
        store.refuse { $0.verb == .get ? .unavailable : nil }
        await #expect(throws: ObjectStorageError.self) { _ = try await accept(object) }
    }
}
