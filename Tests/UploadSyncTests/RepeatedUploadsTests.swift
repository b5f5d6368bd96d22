import CaptureProtocol
import Delivery
import Foundation
import Logging
import Models
import ObjectStorage
import Persistence
import TestSupport
import Testing

@testable import UploadSync

@Suite(
    "Uploads that bring a capture's bytes once more", .sharedSchema("repeats"),
    .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
struct RepeatedUploadsTests {
    private let database: PostgresPool
    private let store = MemoryObjectStore()
    private let repeats: RepeatedUploads

    init() throws {
        database = try #require(TestSchema.shared)
        repeats = RepeatedUploads(
            database: database, storage: store, outbox: Outbox(.uploadSync),
            logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() })
    }

    private func capture(_ status: CaptureStatus) async throws -> CaptureID {
        let id = try await StoredCapture(in: database).id
        let failure = status == .failed ? "intake_missing" : nil
        _ = try await database.query("UPDATE captures SET status = \(status.rawValue), failure = \(failure) WHERE id = \(id.uuid)")
        return id
    }

    /// An upload of all parts.
    private func upload(of capture: CaptureID) async throws -> CaptureID {
        let id = CaptureID()
        for name in [MediaName.original, .depth] { try await store.put(name.key(of: id), bytes: [7], contentType: name.contentType) }
        _ = try await database.query(
            """
            INSERT INTO intakes (id, prefix, device_id, brings)
            SELECT \(id.uuid), \("captures/\(id)/"), device_id, id FROM captures WHERE id = \(capture.uuid)
            """)
        return id
    }

    private func announcements(of capture: CaptureID) async throws -> Int {
        try await database.query("SELECT id FROM upload_sync_outbox WHERE record_key = \(capture.description)").count
    }

    private func isKept(_ upload: CaptureID) async throws -> Bool {
        try await !database.query("SELECT id FROM intakes WHERE id = \(upload.uuid)").isEmpty
    }

    @Test("are copied, announced and forgotten")
    func brought() async throws {
        let capture = try await capture(.processing)
        let upload = try await upload(of: capture)
        try await repeats.bring()
        #expect(store.keys == [MediaName.original.key(of: capture), MediaName.depth.key(of: capture)])
        #expect(try await announcements(of: capture) == 1)
        #expect(try await !isKept(upload))
    }

    @Test("are given up if they are gone, and hold up no others", arguments: [CaptureStatus.processing, .failed])
    func gone(status: CaptureStatus) async throws {
        var captures: [CaptureID] = []
        for _ in 0..<RepeatedUploads.batchSize {
            captures.append(try await capture(status))
            try await store.delete([MediaName.original.key(of: try await upload(of: try #require(captures.last)))])
        }
        let sound = try await capture(status)
        _ = try await upload(of: sound)
        for _ in 0..<2 { try await repeats.bring() }
        for capture in captures + [sound] { #expect(try await announcements(of: capture) == 1) }
        #expect(store.keys.contains(MediaName.original.key(of: sound)))
    }
}
