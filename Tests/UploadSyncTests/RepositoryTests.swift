import CaptureProtocol
import Foundation
import Models
import ObjectStorage
import Persistence
import TestSupport
import Testing

@testable import UploadSync

private struct Hiccup: Error {}

@Suite("What may go, and what is to be read again, in memory and in PostgreSQL", .sharedSchema("sweeps"))
struct RepositoryTests {
    @Test("intake of captures that are complete and were synced an hour ago may go, once", arguments: Backend.available)
    func finished(backend: Backend) async throws {
        let rows = try backend.rows()
        let (old, failed) = (try await rows.synced(.complete, hoursAgo: 2), try await rows.synced(.failed, hoursAgo: 2))
        // Synced long before it was complete.
        let young = try await rows.capture(.processing)
        try await rows.sync(young)
        try await rows.age(young, hours: 2)
        try await rows.settle(young, .complete, failure: nil, isWaiting: false)
        let found = try await rows.sweeps.finished(limit: 100)
        #expect(found.contains(old) && !found.contains(young) && !found.contains(failed))
        try await rows.sweeps.noteDeleted(old)
        #expect(try await !rows.sweeps.finished(limit: 100).contains(old))
        try await rows.sweeps.noteIntake(of: old)
        #expect(try await rows.sweeps.finished(limit: 100).contains(old))
    }

    @Test("uploads of which nothing came may go after a day, and are given again while they are there", arguments: Backend.available)
    func abandoned(backend: Backend) async throws {
        let rows = try backend.rows()
        let (old, young, bringing) = (
            try await rows.uploaded(hoursAgo: 25), try await rows.uploaded(hoursAgo: 23),
            try await rows.uploaded(hoursAgo: 25, brings: CaptureID())
        )
        let recorded = try await rows.uploaded(try await rows.capture(.processing), hoursAgo: 25)
        let found = try await rows.sweeps.abandon(limit: 100)
        #expect(found.first { $0.id == old }?.prefix == "captures/\(old)/")
        #expect(!found.contains { [young, bringing, recorded].contains($0.id) })
        #expect(try await !rows.sweeps.abandon(limit: 100).contains { $0.id == old })
        try await rows.age(old, hours: 11.0 / 60)
        #expect(try await rows.sweeps.abandon(limit: 100).contains { $0.id == old })
        try await rows.sweeps.forget(old)
        try await rows.sweeps.forgetRecorded()
        let left = try await rows.uploads()
        #expect(!left.contains(old) && !left.contains(recorded) && left.contains(young) && left.contains(bringing))
    }

    @Test(
        "captures are looked through for unnamed objects a day after they were complete, unless a time stamp is waited for",
        arguments: Backend.available)
    func unswept(backend: Backend) async throws {
        let rows = try backend.rows()
        let (old, young, pending) = (
            try await rows.synced(.complete, hoursAgo: 25), try await rows.synced(.complete, hoursAgo: 23),
            try await rows.synced(.complete, hoursAgo: 25, isWaiting: true)
        )
        let found = try await rows.sweeps.unswept(limit: 100)
        #expect(found.contains(old) && !found.contains(young) && !found.contains(pending))
        try await rows.name(.original, "a", of: old)
        #expect(try await rows.sweeps.objectKeys(of: old) == ["a"])
        try await rows.sweeps.noteSwept(old)
        #expect(try await !rows.sweeps.unswept(limit: 100).contains(old))
    }

    @Test(
        "media of failed captures of unverified devices may go after a month, unless somebody brings them again",
        arguments: Backend.available)
    func expired(backend: Backend) async throws {
        let rows = try backend.rows()
        let month = 31.0 * 24
        let (old, young, brought, again, synced) = (
            try await rows.synced(.failed, hoursAgo: month), try await rows.capture(.failed, hoursAgo: month - 48),
            try await rows.capture(.failed, hoursAgo: month), try await rows.capture(.failed, hoursAgo: month),
            try await rows.capture(.failed, hoursAgo: month)
        )
        try await rows.upload(CaptureID(), brings: brought)
        try await rows.upload(again, brings: nil)
        try await rows.sync(synced)
        let found = try await rows.sweeps.expired(limit: 100)
        #expect(found.contains(old) && !found.contains(young))
        #expect(!found.contains { [brought, again, synced].contains($0) }, "they would only be in the way of others")
        for capture in [brought, again, synced] {
            #expect(try await !rows.sweeps.forgetMedia(of: capture))
            #expect(try await !rows.sweeps.expire(capture) { Issue.record("deleted") })
        }
        #expect(try await rows.sweeps.forgetMedia(of: old))
        await #expect(throws: Hiccup.self) { try await rows.sweeps.expire(old) { throw Hiccup() } }
        #expect(try await rows.sweeps.expired(limit: 100).contains(old))
        #expect(try await rows.sweeps.expire(old) {})
        #expect(try await !rows.sweeps.expired(limit: 100).contains(old))
        // Brought again and expired again.
        try await rows.age(old, hours: 24)
        try await rows.sync(old)
        #expect(try await !rows.sweeps.forgetMedia(of: old), "it was brought just now")
        try await rows.age(old, hours: month)
        #expect(try await rows.sweeps.expired(limit: 100).contains(old))
        #expect(try await rows.sweeps.forgetMedia(of: old))
        await #expect(throws: Hiccup.self) { try await rows.sweeps.expire(old) { throw Hiccup() } }
        #expect(try await rows.sweeps.expired(limit: 100).contains(old))
    }

    @Test("of those who delete a capture's media at the same time one does", arguments: Backend.available)
    func expiredOnce(backend: Backend) async throws {
        let rows = try backend.rows()
        let old = try await rows.capture(.failed, hoursAgo: 31 * 24)
        let isExpired = try await rows.sweeps.expire(old) {
            let isExpiredToo = try await rows.sweeps.expire(old) { Issue.record("deleted twice") }
            #expect(!isExpiredToo)
        }
        #expect(isExpired)
    }

    @Test(
        "the lock under which media go outlasts a slow store",
        .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
    func slowExpiry() async throws {
        let database = try #require(TestSchema.shared)
        let rows = PostgresRows(database: database)
        let old = try await rows.capture(.failed, hoursAgo: 31 * 24)
        let isExpired = try await rows.sweeps.expire(old) {
            let last = try await database.query(
                """
                SELECT query FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'
                    AND query LIKE 'SELECT set_config(''idle_in_transaction_session_timeout''%'
                """)
            #expect(last.count == 1)
        }
        #expect(isExpired)
    }

    @Test("media are read again in the order of their last look, and damage is kept until it is mended", arguments: Backend.available)
    func scrubbed(backend: Backend) async throws {
        let rows = try backend.rows()
        let scrubs = rows.scrubs
        let capture = try await rows.synced(.complete, hoursAgo: 500 * 24)
        try await rows.name(.original, "b", of: capture)
        func look(_ problem: MediaProblem?) async throws -> [String]? {
            let findings = try await scrubs.withNext(days: 400) { id, objects in
                #expect(id == capture)
                return ScrubFindings(objects: objects.map { .init(name: $0.name, media: $0.media, problem: problem) })
            }
            return findings?.objects.map(\.media.key)
        }
        #expect(try await look(.missing) == ["b"])
        #expect(try await look(.missing) == nil, "it was looked at just now")
        #expect(try await scrubs.measure().damaged == 1)
        try await rows.age(capture, hours: 0.9)
        #expect(try await look(.missing) == nil)
        try await rows.age(capture, hours: 0.2)
        #expect(try await look(.missing) == ["b"], "what is damaged has its next turn in an hour")
        try await rows.age(capture, hours: 401 * 24)
        await #expect(throws: Hiccup.self) { try await scrubs.withNext(days: 400) { _, _ in throw Hiccup() } }
        #expect(try await look(nil) == ["b"], "a process that fails over it leaves it due")
        let state = try await scrubs.measure()
        #expect(state.damaged == 0 && state.unscrubbedSeconds >= 0)

        try await rows.age(capture, hours: 450 * 24)
        let before = try #require(try await rows.scrubbedAt(capture))
        let cancelled = Task {
            try await scrubs.withNext(days: 400) { _, _ in
                withUnsafeCurrentTask { $0?.cancel() }
                try Task.checkCancellation()
                return ScrubFindings()
            }
        }
        await #expect(throws: CancellationError.self) { _ = try await cancelled.value }
        let keptAt = try #require(try await rows.scrubbedAt(capture))
        #expect(abs(keptAt.timeIntervalSince(before)) < 0.001, "one that is cancelled over it, too")

        let unread = try await scrubs.withNext(days: 400) { _, _ in ScrubFindings(failure: ObjectStorageError(.unavailable, "b")) }
        #expect(unread != nil)
        #expect(try await look(nil) == nil, "one that could not be read has its next turn in an hour")
        try await rows.age(capture, hours: 0.9)
        #expect(try await look(nil) == nil)
        try await rows.age(capture, hours: 0.2)
        let refused = try await scrubs.withNext(days: 400) { _, objects in
            ScrubFindings(objects: objects.map { .init(name: $0.name, media: $0.media, problem: .unreadable) })
        }
        #expect(refused?.objects.count == 1)
        #expect(try await scrubs.measure().damaged == 1)
        try await rows.age(capture, hours: 1.1)
        #expect(try await look(nil) == ["b"])
        #expect(try await scrubs.measure().damaged == 0, "it was mended")

        for (name, key) in [(MediaName.depth, "d"), (.metadata, "m"), (.thumbnail, "t")] { try await rows.name(name, key, of: capture) }
        func lookAtAll(_ problems: [MediaName: MediaProblem], instead key: String? = nil) async throws {
            try await rows.age(capture, hours: 401 * 24)
            let findings = try await scrubs.withNext(days: 400) { _, objects in
                ScrubFindings(
                    objects: objects.map { object in
                        let media = key.map { StoredMedia(key: $0, sha256: object.media.sha256, sizeBytes: 1, contentType: "") }
                        return .init(
                            name: object.name, media: media ?? object.media,
                            problem: MediaName(rawValue: object.name).flatMap { problems[$0] })
                    })
            }
            #expect(findings?.objects.count == 4)
        }
        try await lookAtAll([.original: .missing, .depth: .missing, .metadata: .missing], instead: "replaced meanwhile")
        #expect(try await scrubs.measure().damaged == 0)
        try await lookAtAll([.original: .missing, .metadata: .digestMismatch])
        #expect(try await scrubs.measure().damaged == 2)
        try await lookAtAll([.depth: .missing, .metadata: .missing, .thumbnail: .unreadable])
        #expect(try await scrubs.measure().damaged == 3, "of several each has its own finding")
        try await rows.age(capture, hours: 401 * 24)

        let withdrawn = try await scrubs.withNext(days: 400) { id, objects in
            // Nothing is locked meanwhile, and another instance has other captures.
            let other = try await scrubs.withNext(days: 400) { _, _ in ScrubFindings() }
            #expect(other == nil)
            try await rows.withdraw(id)
            return ScrubFindings(objects: objects.map { .init(name: $0.name, media: $0.media, problem: .missing) })
        }
        #expect(withdrawn?.objects.count == 4)
        #expect(try await scrubs.measure().damaged == 0, "nothing is kept of what was withdrawn meanwhile")
    }
}
