import CaptureProtocol
import Foundation
import TestSupport
import Testing

@testable import RialCLI

@Suite("What rows say of the bucket's folders, in memory and in PostgreSQL", .serialized, .sharedSchema("backup"))
struct BackupRowsTests {
    @Test("a complete capture has the objects of its rows, and others once it was swept are left", arguments: Backend.available)
    func complete(backend: Backend) async throws {
        let rig = try backend.rig()
        let id = try await rig.capture(.complete)
        let object = NamedObject(name: "original.jpg", key: BackupFolder(.captures, id).prefix + "original.jpg", sizeBytes: 17)
        try await rig.name(object, of: id)
        let known = try #require(try await rig.folder(.captures, id))
        #expect(known.named == [object] && known.others == .allowed && known.receivedAt != nil)
        try await rig.note(.swept, of: id)
        #expect(try await rig.folder(.captures, id)?.others == .left)
        #expect(try await rig.folder(.incoming, id)?.others == .allowed, "of an earlier version")
    }

    @Test("a capture in progress has its uploads, where they are put and where they were", arguments: Backend.available)
    func processing(backend: Backend) async throws {
        let rig = try backend.rig()
        let id = try await rig.capture()
        let known = try #require(try await rig.folder(.captures, id))
        #expect(known.others == .allowed)
        let named = ["depth.gz", "original.jpg"].map { name in
            NamedObject(
                name: name, key: BackupFolder(.captures, id).prefix + name, elsewhere: BackupFolder(.incoming, id).prefix + "photo",
                sizeBytes: 1)
        }
        #expect(known.named.sorted { $0.key < $1.key } == named)
    }

    @Test("a failed capture has its uploads unless it failed by them, or they have expired", arguments: Backend.available)
    func failed(backend: Backend) async throws {
        let rig = try backend.rig()
        let kept = try await rig.capture(.failed, failure: "depth_unreadable")
        let lost = try await [rig.capture(.failed, failure: "intake_missing"), rig.capture(.failed, failure: "digest_mismatch")]
        let unseen = try await rig.capture(.failed, failure: "handling_failed")
        for id in lost + [kept] { try await rig.note(.synced, of: id) }
        #expect(try await rig.folder(.captures, kept)?.named.count == 2)
        for id in lost + [unseen] {
            let known = try await rig.folder(.captures, id)
            #expect(known?.named.isEmpty == true)
        }
        try await rig.note(.expired, of: kept)
        #expect(try await rig.folder(.captures, kept)?.named.isEmpty == true)
    }

    @Test("a failed capture of an unverified device has no uploads after thirty days", arguments: Backend.available)
    func expiredSince(backend: Backend) async throws {
        let rig = try backend.rig()
        let (old, verified, young) = (
            try await rig.capture(.failed, failure: "depth_unreadable"), try await rig.capture(.failed, failure: "depth_unreadable"),
            try await rig.capture(.failed, failure: "depth_unreadable")
        )
        let (payload, _) = try await rig.hashOnly(.failed, receivedAt: Date(timeIntervalSinceNow: -31 * 86_400))
        for id in [old, verified, young, payload] { try await rig.note(.synced, of: id) }
        for (id, days) in [(old, 31.0), (verified, 31), (young, 29)] {
            try await rig.move(id, receivedAt: Date(timeIntervalSinceNow: -days * 86_400), completedAt: nil)
        }
        try await rig.verifyDevice(of: verified)
        for (id, expected) in [(old, 0), (payload, 0), (verified, 2), (young, 2)] {
            let known = try #require(try await rig.folder(.captures, id))
            #expect(known.named.count == expected)
        }
    }

    @Test("a hash-only capture that is not complete has its payload once upload-sync has stored it", arguments: Backend.available)
    func hashOnly(backend: Backend) async throws {
        let rig = try backend.rig()
        for status in [CaptureStatus.processing, .failed] {
            let (id, payload) = try await rig.hashOnly(status, receivedAt: Date())
            let unseen = try #require(try await rig.folder(.captures, id))
            #expect(unseen.named.isEmpty, "\(status)")
            try await rig.note(.synced, of: id)
            let stored = try #require(try await rig.folder(.captures, id))
            #expect(stored.named == [payload] && stored.others == .allowed, "\(status)")
            guard status == .failed else { continue }
            try await rig.note(.expired, of: id)
            #expect(try await rig.folder(.captures, id)?.named.isEmpty == true, "its payload was deleted after thirty days")
        }
    }

    @Test("a hash-only capture that stays in processing has its payload, but one that failed unseen has none", arguments: Backend.available)
    func overdue(backend: Backend) async throws {
        let rig = try backend.rig()
        let limit = Date(timeIntervalSinceNow: -PostgresBackupRows.longestSync)
        let (late, payload) = try await rig.hashOnly(.processing, receivedAt: limit.addingTimeInterval(-60))
        let (early, _) = try await rig.hashOnly(.processing, receivedAt: limit.addingTimeInterval(60))
        let (failed, _) = try await rig.hashOnly(.failed, receivedAt: limit.addingTimeInterval(-60))
        let (refused, _) = try await rig.hashOnly(.failed, receivedAt: limit.addingTimeInterval(-60))
        try await rig.giveUpSync(of: refused)
        let overdue = try #require(try await rig.folder(.captures, late))
        #expect(overdue.named == [payload])
        for id in [early, failed, refused] {
            let known = try #require(try await rig.folder(.captures, id))
            #expect(known.named.isEmpty)
        }
    }

    @Test("a withdrawn capture must have nothing once it was erased, nor the upload that became it", arguments: Backend.available)
    func withdrawn(backend: Backend) async throws {
        let rig = try backend.rig()
        let (id, upload) = (try await rig.capture(.complete), UUID())
        try await rig.withdraw(id, uploads: [upload])
        #expect(try await rig.folder(.captures, id)?.others == .allowed, "upload-sync is at it")
        try await rig.erase(id)
        let known = try #require(try await rig.folder(.captures, id))
        #expect(known.others == .withdrawn && known.named.isEmpty && known.receivedAt == nil)
        #expect(try await rig.folder(.incoming, id)?.others == .withdrawn)
        #expect(try await rig.folder(.incoming, upload)?.others == .withdrawn)
    }

    @Test("uploads under way are known, with their segments, until they are emptied", arguments: Backend.available)
    func uploads(backend: Backend) async throws {
        let rig = try backend.rig()
        let (plain, resumable) = (UUID(), UUID())
        try await rig.beginIntake(plain)
        try await rig.beginUpload(resumable)
        let folder = BackupFolder(.incoming, resumable)
        try await rig.addSegment(to: resumable, at: 0, sizeBytes: 4, key: folder.prefix + "body/0-1")
        #expect(try await rig.folder(.captures, plain) != nil)
        let known = KnownFolder(
            folder: folder, named: [NamedObject(name: "segment 0", key: folder.prefix + "body/0-1", sizeBytes: 4)])
        #expect(try await rig.folder(.incoming, resumable) == known)
        let page = try await rig.read { try await $0.page(of: .incoming, after: nil, limit: 10) }
        #expect(page == [known])
        try await rig.endUpload(resumable)
        #expect(try await rig.folder(.incoming, resumable) == KnownFolder(folder: folder))
        let rest = try await rig.read { try await $0.page(of: .incoming, after: nil, limit: 10) }
        #expect(rest.isEmpty)
        try await rig.emptyUpload(resumable)
        #expect(try await rig.folder(.incoming, resumable) == nil)
        #expect(try await rig.folder(.captures, UUID()) == nil)
    }

    @Test("an upload has its beginning, but for one of which no capture comes", arguments: Backend.available)
    func uploading(backend: Backend) async throws {
        let rig = try backend.rig()
        let (plain, bringing, abandoned) = (UUID(), UUID(), UUID())
        for id in [plain, bringing, abandoned] { try await rig.beginIntake(id) }
        try await rig.bring(bringing, to: try await rig.capture())
        try await rig.abandon(abandoned)
        guard case .uploading(let start) = try await rig.folder(.captures, plain)?.others else {
            Issue.record("its beginning is not known")
            return
        }
        #expect(abs(start.timeIntervalSinceNow) < 60)
        for id in [bringing, abandoned] {
            #expect(try await rig.folder(.captures, id) == KnownFolder(folder: BackupFolder(.captures, id)))
        }
        #expect(try await rig.folder(.incoming, plain)?.others == .allowed, "of an earlier version")
    }

    @Test("pages have every capture once, by ascending id", arguments: Backend.available)
    func pages(backend: Backend) async throws {
        let rig = try backend.rig()
        for _ in 0..<5 { _ = try await rig.capture() }
        let all = try await rig.read { try await $0.page(of: .captures, after: nil, limit: 1000) }
        var paged: [KnownFolder] = []
        var last: UUID?
        while true {
            let after = last
            let page = try await rig.read { try await $0.page(of: .captures, after: after, limit: 2) }
            guard let end = page.last else { break }
            paged += page
            last = end.folder.id
        }
        #expect(paged.map(\.folder) == all.map(\.folder) && paged.map(\.folder) == paged.map(\.folder).sorted())
        #expect(paged.count >= 5 && paged.map(\.named.count) == all.map(\.named.count))
    }

    @Test("the newest capture and the newest row are told, and those that were received later are counted", arguments: Backend.available)
    func edge(backend: Backend) async throws {
        let rig = try backend.rig()
        let received = try #require(Timestamp.parse("2099-01-01T00:00:00Z"))
        let completed = received.addingTimeInterval(86_400)
        // One of them has objects.
        for hasObjects in [false, true] {
            let id = try await rig.capture(.complete)
            try await rig.move(id, receivedAt: received.addingTimeInterval(hasObjects ? 1 : 0), completedAt: completed)
            guard hasObjects else { continue }
            let key = BackupFolder(.captures, id).prefix + "original.jpg"
            try await rig.name(NamedObject(name: "original.jpg", key: key, sizeBytes: 1), of: id)
            let edge = try await rig.read { try await $0.edge() }
            #expect(edge.newestCapture?.id.uuid == id && edge.newestRow == completed)
        }
        let (earlier, later) = (received.addingTimeInterval(-1), received.addingTimeInterval(1))
        let counts = try await rig.read { rows in
            (try await rows.captures(receivedAfter: earlier), try await rows.captures(receivedAfter: later))
        }
        #expect(counts == (1, 0))
    }

    @Test("a log's shard is known by its name", arguments: Backend.available)
    func shards(backend: Backend) async throws {
        let rig = try backend.rig()
        try await rig.openShard("2026")
        let known = try await rig.read { rows in (try await rows.hasShard("2026"), try await rows.hasShard("2027")) }
        #expect(known == (true, false))
    }
}
