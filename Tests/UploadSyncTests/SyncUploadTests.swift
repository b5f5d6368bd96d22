import CaptureProtocol
import Delivery
import Foundation
import Logging
import Models
import ObjectStorage
import TestSupport
import Testing

@testable import UploadSync

@Suite("Comparison of a received capture with what the store holds")
struct SyncUploadTests {
    private let store = MemoryObjectStore()
    private let parts = MemoryPartRepository<MediaSynced, MediaFindings>()
    private let rows = MemoryRows()
    private static let metadata = Array(#"{"captured_at": 1}"#.utf8)
    private static let (photo, depth) = ([UInt8]("photo".utf8), [UInt8]("depth".utf8))

    /// - Parameter prefix: the prefix of the uploaded objects; `nil` for the final keys.
    private func accept(under prefix: String? = nil) async throws -> CaptureAnnouncement {
        let id = CaptureID()
        func put(_ name: MediaName, _ bytes: [UInt8]) async throws -> StoredMedia {
            let key = prefix.map { "\($0)/\(id)/\(name.rawValue)" } ?? name.key(of: id)
            try await store.put(key, bytes: bytes, contentType: name.contentType)
            return StoredMedia(key: key, sha256: ContentDigest(of: bytes), sizeBytes: Int64(bytes.count), contentType: name.contentType)
        }
        let content = PhotoContent(
            photo: try await put(.original, Self.photo), depth: try await put(.depth, Self.depth), photoThenDepth: nil, depthWidth: 2,
            depthHeight: 2)
        let announcement = CaptureAnnouncement(
            captureID: id, deviceID: DeviceID(), content: .photo(content), metadata: Self.metadata, assertion: nil,
            receivedAt: .distantPast)
        parts.add(announcement)
        return announcement
    }

    private func handle(_ capture: CaptureAnnouncement) async throws {
        let work = SyncUpload(inventory: MediaInventory(storage: store, intake: LegacyIntake(storage: store, rows: rows)))
        let context = MessageContext(eventID: EventID(), topic: .captureReceived, logger: Logger(label: "tests"))
        try await PartHandler(work, parts: parts).handle(CaptureReceived(captureID: capture.captureID, kind: .photo), context)
    }

    private func rejection(of capture: CaptureAnnouncement) async -> FailureReason? {
        await TestSupport.rejection { try await handle(capture) }
    }

    @Test("keeps the payload of a hash-only capture as it was signed, and nothing else")
    func hashOnly() async throws {
        let capture = try HashOnlySamples.announcement()
        parts.add(capture)
        try await handle(capture)
        let key = MediaName.metadata.key(of: capture.captureID)
        #expect(store.bytes(key) == capture.metadata && store.keys == [key])
        let kept = try #require(parts.findings(capture.captureID)?.objects)
        #expect(kept.keys.map(\.rawValue) == ["metadata.json"] && kept[.metadata]?.sha256 == ContentDigest(of: capture.metadata))
    }

    @Test("finds what was uploaded where it lies, reads none of it, and keeps the metadata beside it")
    func finds() async throws {
        let capture = try await accept()
        try await handle(capture)
        let findings = try #require(parts.findings(capture.captureID))
        #expect(Set(findings.objects.keys) == [.original, .depth, .metadata])
        guard case .photo(let content) = capture.content else { return }
        #expect(findings.objects[.original] == content.photo && findings.objects[.depth] == content.depth)
        #expect(store.bytes(MediaName.metadata.key(of: capture.captureID)) == Self.metadata)
        #expect(!store.requests.contains { $0.verb == .get || $0.verb == .copy })
        #expect(parts.announced == [.done(capture.captureID)] && rows.now.jobs.isEmpty)
    }

    @Test("puts metadata that are missing or cut short, and no others")
    func metadata() async throws {
        let capture = try await accept()
        let key = MediaName.metadata.key(of: capture.captureID)
        for stored in [nil, [1], Self.metadata] as [[UInt8]?] {
            if let stored { try await store.put(key, bytes: stored, contentType: "application/json") }
            let puts = store.requests.count { $0.verb == .put }
            parts.forget(capture.captureID)
            try await handle(capture)
            #expect(store.bytes(key) == Self.metadata)
            #expect(store.requests.count { $0.verb == .put } == puts + (stored == Self.metadata ? 0 : 1))
        }
    }

    @Test("rejects an upload that is gone or has another length, and says so of which of the two", arguments: [MediaName.original, .depth])
    func gone(name: MediaName) async throws {
        let capture = try await accept()
        try await store.put(name.key(of: capture.captureID), bytes: [1], contentType: "image/jpeg")
        #expect(await rejection(of: capture) == .digestMismatch)
        try await store.delete([name.key(of: capture.captureID)])
        #expect(await rejection(of: capture) == .intakeMissing)
        #expect(parts.findings(capture.captureID) == nil && parts.announced.isEmpty)
    }

    @Test("brings an upload of an earlier version to where it stays, after comparing it, and remembers that intake is left")
    func legacy() async throws {
        let capture = try await accept(under: "incoming")
        try await handle(capture)
        let id = capture.captureID
        #expect(store.bytes(MediaName.original.key(of: id)) == Self.photo && store.bytes(MediaName.depth.key(of: id)) == Self.depth)
        #expect(parts.findings(id)?.objects[.original]?.key == MediaName.original.key(of: id))
        #expect(Array(rows.now.jobs.keys) == [id] && rows.now.jobs[id]?.intakeDeletedAt == nil)
        // The uploaded objects may be deleted already when a database that lost its last transactions requests them again.
        try await store.delete(store.keys.filter { $0.hasPrefix("incoming/") })
        parts.forget(id)
        try await handle(capture)
        #expect(parts.findings(id)?.objects[.depth]?.key == MediaName.depth.key(of: id))
    }

    @Test("does not bring bytes that were not accepted")
    func legacySwapped() async throws {
        let capture = try await accept(under: "incoming")
        try await store.put("incoming/\(capture.captureID)/original.jpg", bytes: Array("other".utf8), contentType: "image/jpeg")
        #expect(await rejection(of: capture) == .digestMismatch)
        #expect(store.bytes(MediaName.original.key(of: capture.captureID)) == nil && rows.now.jobs.isEmpty)
    }

    @Test("compares anew what failed, and waits for a store that is away")
    func anew() async throws {
        let capture = try await accept()
        store.refuse { $0.verb == .head ? .unavailable : nil }
        await #expect { try await handle(capture) } throws: { ($0 as? ObjectStorageError)?.isTransient == true }
        store.refuse { _ in nil }
        try await handle(capture)
        let heads = store.requests.count { $0.verb == .head }
        try await handle(capture)
        #expect(store.requests.count { $0.verb == .head } == heads)
        parts.set(.failed, of: capture.captureID)
        try await handle(capture)
        #expect(store.requests.count { $0.verb == .head } == heads + 3)
    }
}
