import CaptureProtocol
import Logging
import Models
import ObjectStorage
import Persistence
import ServiceLifecycleTestKit
import Synchronization
import TestSupport
import Testing

@testable import UploadSync

@Suite("Uploads that bring a capture's bytes once more, in memory and in PostgreSQL", .serialized, .sharedSchema("repeats"))
struct RepeatedUploadsTests {
    private let store = MemoryObjectStore()

    private func bring(_ rows: any SyncRows) async throws {
        try await RepeatedUploads(rows: rows.repeats, storage: store, logger: .quiet).bring()
    }

    private func capture(_ status: CaptureStatus, in rows: any SyncRows) async throws -> CaptureID {
        try await rows.capture(status, failure: status == .failed ? .intakeMissing : nil)
    }

    /// An upload of all parts.
    private func upload(of capture: CaptureID, in rows: any SyncRows) async throws -> CaptureID {
        let id = CaptureID()
        for name in [MediaName.original, .depth] { try await store.put(name.key(of: id), bytes: [7], contentType: name.contentType) }
        try await rows.upload(id, brings: capture)
        return id
    }

    @Test("are copied, announced and forgotten", arguments: Backend.available)
    func brought(backend: Backend) async throws {
        let rows = try backend.rows()
        let capture = try await capture(.processing, in: rows)
        let upload = try await upload(of: capture, in: rows)
        try await bring(rows)
        #expect(store.keys == [MediaName.original.key(of: capture), MediaName.depth.key(of: capture)])
        let announcements = try await rows.announcements(of: capture)
        #expect(announcements == 1)
        #expect(try await !rows.uploads().contains(upload))
    }

    @Test(
        "are given up if they are gone, and hold up no others", arguments: Backend.available, [CaptureStatus.processing, .failed])
    func gone(backend: Backend, status: CaptureStatus) async throws {
        let rows = try backend.rows()
        var captures: [CaptureID] = []
        for _ in 0..<RepeatedUploads.batchSize {
            captures.append(try await capture(status, in: rows))
            let upload = try await upload(of: try #require(captures.last), in: rows)
            try await store.delete([MediaName.original.key(of: upload)])
        }
        let sound = try await capture(status, in: rows)
        _ = try await upload(of: sound, in: rows)
        for _ in 0..<2 { try await bring(rows) }
        for capture in captures + [sound] {
            let announcements = try await rows.announcements(of: capture)
            #expect(announcements == 1)
        }
        #expect(store.keys.contains(MediaName.original.key(of: sound)))
    }

    @Test("are tried less and less often as long as their copy is refused, and hold up no others", arguments: Backend.available)
    func refused(backend: Backend) async throws {
        let rows = try backend.rows()
        var (captures, keys) = ([CaptureID](), Set<String>())
        for _ in 0..<RepeatedUploads.batchSize {
            captures.append(try await capture(.processing, in: rows))
            let upload = try await upload(of: captures[captures.count - 1], in: rows)
            try await rows.age(upload, hours: 1)
            keys.insert(MediaName.original.key(of: upload))
        }
        let sound = try await capture(.processing, in: rows)
        _ = try await upload(of: sound, in: rows)
        let refused = keys
        store.refuse { $0.verb == .copy && refused.contains($0.key) ? .accessDenied : nil }
        let time = Mutex(ContinuousClock.now)
        let repeats = RepeatedUploads(rows: rows.repeats, storage: store, logger: .quiet, now: { time.withLock { $0 } })
        func attempts() -> Int { store.requests.count { $0.verb == .copy && refused.contains($0.key) } }
        for announced in [0, 1, 1] {
            try await repeats.bring()
            #expect(try await rows.announcements(of: sound) == announced)
            #expect(attempts() == refused.count, "once, as long as no time passes")
        }
        // After so many seconds the next attempt is due, and no other before that.
        for (index, seconds) in [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].enumerated() {
            for fraction in [0.49, 0.52] {
                time.withLock { $0 += .seconds(Double(seconds) * fraction) }
                for _ in 0..<2 { try await repeats.bring() }
                if fraction == 0.49 { #expect(attempts() == refused.count * (index + 1)) }
            }
            #expect(attempts() == refused.count * (index + 2))
        }
        store.refuse { _ in nil }
        time.withLock { $0 += .seconds(300) }
        try await repeats.bring()
        for capture in captures { #expect(try await rows.announcements(of: capture) == 1) }
    }

    @Test(
        "wait as long as the capture has a status that this version does not know",
        .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
    func unknownStatus() async throws {
        let database = try #require(TestSchema.shared)
        let rows = PostgresRows(database: database)
        let capture = try await capture(.processing, in: rows)
        let upload = try await upload(of: capture, in: rows)
        _ = try await database.query("ALTER TABLE captures DROP CONSTRAINT captures_status_check")
        _ = try await database.query("UPDATE captures SET status = 'paused' WHERE id = \(capture.uuid)")
        let failure = await error(PostgresError.self) { _ = try await rows.repeats.bring(upload) { _, _ in true } }
        #expect(failure?.code == .decoding && failure?.message == "column status has the unknown word paused")
        try await bring(rows)
        #expect(try await rows.announcements(of: capture) == 0)
        _ = try await database.query("UPDATE captures SET status = 'processing' WHERE id = \(capture.uuid)")
        _ = try await database.query(
            """
            ALTER TABLE captures ADD CONSTRAINT captures_status_check
                CHECK (status IN ('processing', 'complete', 'failed', 'withdrawn'))
            """)
        try await bring(rows)
        #expect(try await rows.announcements(of: capture) == 1)
    }

    @Test("are brought by one of those that try at the same time", arguments: Backend.available)
    func once(backend: Backend) async throws {
        let rows = try backend.rows()
        let capture = try await capture(.processing, in: rows)
        let upload = try await upload(of: capture, in: rows)
        let isBrought = try await rows.repeats.bring(upload) { announcement, status in
            #expect(announcement.captureID == capture && status == .processing)
            let isBroughtToo = try await rows.repeats.bring(upload) { _, _ in true }
            #expect(!isBroughtToo)
            return false
        }
        #expect(isBrought)
        let again = try await rows.repeats.bring(upload) { _, _ in true }
        let announcements = try await rows.announcements(of: capture)
        #expect(!again && announcements == 0)
        #expect(try await rows.uploads().contains(upload))
        try await rows.repeats.forget(upload)
        #expect(try await !rows.uploads().contains(upload))
    }

    @Test("stay as they are if their copy fails, and bring nothing to a capture that is complete", arguments: Backend.available)
    func kept(backend: Backend) async throws {
        struct Hiccup: Error {}
        let rows = try backend.rows()
        let capture = try await capture(.processing, in: rows)
        let upload = try await upload(of: capture, in: rows)
        await #expect(throws: Hiccup.self) { try await rows.repeats.bring(upload) { _, _ in throw Hiccup() } }
        #expect(try await rows.repeats.waiting(limit: 1000, excluding: []).contains(upload))
        try await rows.settle(capture, .complete, failure: nil, isWaiting: false)
        let isDone = try await rows.repeats.bring(upload) { _, _ in
            Issue.record("copied")
            return true
        }
        let announcements = try await rows.announcements(of: capture)
        #expect(isDone && announcements == 0)
        #expect(try await !rows.repeats.waiting(limit: 1000, excluding: []).contains(upload))
        try await rows.repeats.forget(upload)
    }

    @Test("are looked for again if their capture is withdrawn during the copy", arguments: Backend.available)
    func withdrawnMeanwhile(backend: Backend) async throws {
        let rows = try backend.rows()
        let capture = try await capture(.processing, in: rows)
        let upload = try await upload(of: capture, in: rows)
        let isDone = try await rows.repeats.bring(upload) { _, _ in
            try await rows.withdraw(capture)
            let look = try await rows.erasures.begin(capture)
            try await rows.erasures.note(capture, look, found: 0, answering: nil)
            let seconds = try await rows.nextLook(capture).seconds
            #expect(seconds > 0)
            return false
        }
        #expect(isDone)
        #expect(try await rows.nextLook(capture).seconds <= 0)
        try await rows.repeats.forget(upload)
    }

    @Test("do not expire before they are compared, and then like any other media", arguments: Backend.available)
    func expiry(backend: Backend) async throws {
        let rows = try backend.rows()
        let month = 31.0 * 24
        let (unsynced, synced, forgotten) = (
            try await rows.capture(.failed, hoursAgo: month), try await rows.synced(.failed, hoursAgo: month),
            try await rows.synced(.failed, hoursAgo: month)
        )
        #expect(try await rows.sweeps.forgetMedia(of: forgotten))
        let captures = [unsynced, synced, forgotten]
        for capture in captures { _ = try await upload(of: capture, in: rows) }
        try await bring(rows)
        #expect(try await !rows.sweeps.expire(forgotten) { Issue.record("deleted") })
        let expiry = MediaExpiry(rows: rows.sweeps, storage: store, logger: .quiet)
        try await expiry.expire()
        #expect(store.keys == Set(captures.flatMap { [MediaName.original.key(of: $0), MediaName.depth.key(of: $0)] }))
        for capture in captures { try await rows.age(capture, hours: month) }
        try await expiry.expire()
        #expect(store.keys.isEmpty)
    }

    @Test("overwrite what a failed capture has, and leave what is there of one in processing")
    func needed() async throws {
        for (status, bytes) in [(.processing, [1]), (.failed, [7])] as [(CaptureStatus, [UInt8])] {
            let rows = MemoryRows()
            let capture = try await capture(status, in: rows)
            try await store.put(MediaName.original.key(of: capture), bytes: [1], contentType: "image/jpeg")
            _ = try await upload(of: capture, in: rows)
            try await bring(rows)
            #expect(store.bytes(MediaName.original.key(of: capture)) == bytes)
            #expect(store.bytes(MediaName.depth.key(of: capture)) == [7] && rows.now.announced == [capture])
        }
    }

    @Test("are brought by a later turn if the store is away, and one that fails holds up no other")
    func away() async throws {
        let rows = MemoryRows()
        let captures = [try await capture(.processing, in: rows), try await capture(.processing, in: rows)]
        for capture in captures { _ = try await upload(of: capture, in: rows) }
        let stuck = MediaName.original.key(of: captures[0])
        store.refuse { $0.verb == .head && $0.key == stuck ? .unavailable : nil }
        try await bring(rows)
        #expect(rows.now.announced == [captures[1]] && rows.now.uploads.count == 1)
        store.refuse { _ in nil }
        try await bring(rows)
        #expect(rows.now.announced == [captures[1], captures[0]] && rows.now.uploads.isEmpty)
    }

    @Test("are left to the next process at shutdown")
    func shutdown() async throws {
        let rows = MemoryRows()
        for age in [2.0, 1] {
            let capture = try await capture(.processing, in: rows)
            try await rows.age(try await upload(of: capture, in: rows), hours: age)
        }
        try await testGracefulShutdown { trigger in
            store.refuse { request in
                if request.verb == .copy { trigger.triggerGracefulShutdown() }
                return nil
            }
            try await bring(rows)
        }
        #expect(rows.now.uploads.count == 1 && rows.now.announced.count == 1)
    }
}
