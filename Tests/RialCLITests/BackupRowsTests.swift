import CaptureProtocol
import Foundation
import Models
import Persistence
import TestSupport
import Testing

@testable import RialCLI

@Suite(
    "What rows say of the bucket's folders, in PostgreSQL", .serialized, .sharedSchema("backup"),
    .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
struct BackupRowsTests {
    private let database: PostgresPool

    init() throws { database = try #require(TestSchema.shared) }

    private func withRows<T: Sendable>(_ body: @Sendable (PostgresBackupRows) async throws -> T) async throws -> T {
        try await database.withConnection { try await body(PostgresBackupRows(connection: $0)) }
    }

    private func folder(_ kind: BackupFolder.Kind, _ id: UUID) async throws -> KnownFolder? {
        try await withRows { try await $0.folder(BackupFolder(kind, id)) }
    }

    private func capture(_ status: CaptureStatus = .processing, failure: String? = nil) async throws -> UUID {
        let id = try await StoredCapture(in: database).id.uuid
        let isComplete = status == .complete
        _ = try await database.query(
            """
            UPDATE captures SET status = \(status.rawValue), failure = \(failure), evidence = CASE WHEN \(isComplete) THEN '{}'::jsonb END,
                confidence_level = CASE WHEN \(isComplete) THEN 'high' END, completed_at = CASE WHEN \(isComplete) THEN now() END
            WHERE id = \(id)
            """)
        return id
    }

    private func sync(_ id: UUID, _ column: String) async throws {
        _ = try await database.query(
            """
            INSERT INTO sync_jobs (capture_id, result, synced_at) VALUES (\(id), '{}', now()) ON CONFLICT (capture_id) DO NOTHING
            """)
        _ = try await database.query("UPDATE sync_jobs SET \(unescaped: column) = now() WHERE capture_id = \(id)")
    }

    @Test("a complete capture has the objects of its rows, and others once it was swept are left")
    func complete() async throws {
        let id = try await capture(.complete)
        let key = "captures/\(id.uuidString.lowercased())/original.jpg"
        _ = try await database.query(
            """
            INSERT INTO media_objects (capture_id, name, object_key, sha256, size_bytes, content_type)
            VALUES (\(id), 'original.jpg', \(key), \(ContentDigest(of: [1]).bytes), 17, 'image/jpeg')
            """)
        let known = try #require(try await folder(.captures, id))
        #expect(known.named == [NamedObject(name: "original.jpg", key: key, sizeBytes: 17)])
        #expect(known.others == .allowed && known.receivedAt != nil)
        try await sync(id, "derived_swept_at")
        #expect(try await folder(.captures, id)?.others == .left)
        #expect(try await folder(.incoming, id)?.others == .allowed, "of an earlier version")
    }

    @Test("a capture in progress has its uploads, where they are put and where they were")
    func processing() async throws {
        let id = try await capture()
        let text = id.uuidString.lowercased()
        let known = try #require(try await folder(.captures, id))
        #expect(known.others == .allowed)
        #expect(
            known.named.sorted { $0.key < $1.key }
                == ["depth.gz", "original.jpg"].map { name in
                    NamedObject(name: name, key: "captures/\(text)/\(name)", elsewhere: "incoming/\(text)/photo", sizeBytes: 1)
                })
    }

    @Test("a failed capture has its uploads unless it failed by them, or they have expired")
    func failed() async throws {
        let (kept, missing, unseen) = (
            try await capture(.failed, failure: "depth_unreadable"), try await capture(.failed, failure: "intake_missing"),
            try await capture(.failed, failure: "handling_failed")
        )
        for id in [kept, missing] { try await sync(id, "synced_at") }
        #expect(try await folder(.captures, kept)?.named.count == 2)
        #expect(try await folder(.captures, missing)?.named.isEmpty == true)
        #expect(try await folder(.captures, unseen)?.named.isEmpty == true)
        try await sync(kept, "media_expired_at")
        #expect(try await folder(.captures, kept)?.named.isEmpty == true)
    }

    @Test("a withdrawn capture must have nothing once it was erased, nor the upload that became it")
    func withdrawn() async throws {
        let id = try await capture(.complete)
        let upload = UUID()
        _ = try await database.query("SELECT rial_withdraw(\(id), 'a reason')")
        _ = try await database.query("UPDATE withdrawals SET upload_ids = ARRAY[\(upload)] WHERE capture_id = \(id)")
        #expect(try await folder(.captures, id)?.others == .allowed, "upload-sync is at it")
        _ = try await database.query("UPDATE withdrawals SET erased_at = now() WHERE capture_id = \(id)")
        let known = try #require(try await folder(.captures, id))
        #expect(known.others == .withdrawn && known.named.isEmpty && known.receivedAt == nil)
        #expect(try await folder(.incoming, id)?.others == .withdrawn)
        #expect(try await folder(.incoming, upload)?.others == .withdrawn)
    }

    @Test("uploads under way are known, with their segments, until they are emptied")
    func uploads() async throws {
        let device = try await StoredCapture(in: database).announcement.deviceID.uuid
        let (plain, resumable) = (UUID(), UUID())
        _ = try await database.query(
            """
            INSERT INTO intakes (id, device_id, prefix) VALUES (\(plain), \(device), 'captures/' || \(plain)::uuid || '/')
            """)
        _ = try await database.query(
            """
            INSERT INTO uploads (id, type, token_sha256, device_id, interop_version, content_type, body_sha256, length_bytes, expires_at)
            VALUES (\(resumable), 'photo', sha256(uuid_send(\(resumable)::uuid)), \(device), 6, 'a/b', sha256(''), 10,
                now() + interval '1 day')
            """)
        let key = "incoming/\(resumable.uuidString.lowercased())/body/0-1"
        _ = try await database.query(
            "INSERT INTO upload_segments (upload_id, start_bytes, size_bytes, object_key) VALUES (\(resumable), 0, 4, \(key))")
        #expect(try await folder(.captures, plain) == KnownFolder(folder: BackupFolder(.captures, plain)))
        let known = KnownFolder(
            folder: BackupFolder(.incoming, resumable), named: [NamedObject(name: "segment 0", key: key, sizeBytes: 4)])
        #expect(try await folder(.incoming, resumable) == known)
        #expect(try await withRows { try await $0.page(of: .incoming, after: nil, limit: 10) } == [known])
        _ = try await database.query("UPDATE uploads SET state = 'ended' WHERE id = \(resumable)")
        #expect(try await folder(.incoming, resumable) == KnownFolder(folder: BackupFolder(.incoming, resumable)))
        _ = try await database.query("UPDATE uploads SET emptied_at = now() WHERE id = \(resumable)")
        #expect(try await folder(.incoming, resumable) == nil)
        #expect(try await folder(.captures, UUID()) == nil)
    }

    @Test("pages have every capture once, by ascending id")
    func pages() async throws {
        for _ in 0..<5 { _ = try await capture() }
        let all = try await withRows { try await $0.page(of: .captures, after: nil, limit: 1000) }
        var paged: [KnownFolder] = []
        var last: UUID?
        while true {
            let after = last
            let page = try await withRows { try await $0.page(of: .captures, after: after, limit: 2) }
            guard let end = page.last else { break }
            paged += page
            last = end.folder.id
        }
        #expect(paged.count >= 5 && paged == all && paged.map(\.folder) == paged.map(\.folder).sorted())
    }

    @Test("the newest capture and the newest row are told")
    func edge() async throws {
        let id = try await capture(.complete)
        _ = try await database.query(
            "UPDATE captures SET uploaded_at = '2099-01-01', completed_at = '2099-01-02' WHERE id = \(id)")
        let edge = try await withRows { try await $0.edge() }
        #expect(edge.newestCapture?.id.uuid == id && edge.newestRow == Timestamp.parse("2099-01-02T00:00:00Z"))
        #expect(try await withRows { try await $0.captures(receivedAfter: Date(timeIntervalSince1970: 0)) } >= 0)
        #expect(try await !withRows { try await $0.hasShard("2026") })
    }
}
