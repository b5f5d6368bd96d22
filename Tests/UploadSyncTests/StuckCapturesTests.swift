import CaptureProtocol
import Logging
import Models
import Synchronization
import TestSupport
import Testing

@testable import UploadSync

@Suite("Captures that stay in processing, in memory and in PostgreSQL", .sharedSchema("stuck"))
struct StuckCapturesTests {
    @Test("are as old as the oldest of them, however often it was announced", arguments: Backend.available)
    func oldest(backend: Backend) async throws {
        let rows = try backend.rows()
        let none = try await rows.stuck.oldestSeconds()
        #expect(none == 0)

        let old = try await rows.capture(.processing, hoursAgo: 40.0 / 60)
        _ = try await rows.capture(.processing, hoursAgo: 10.0 / 60)
        try await StuckCaptures(rows: rows.stuck, after: .seconds(60), logger: .quiet).announce()
        let both = try await rows.stuck.oldestSeconds()
        #expect(both >= 2400 && both < 2700)

        try await rows.settle(old, .failed, failure: nil, isWaiting: false)
        let one = try await rows.stuck.oldestSeconds()
        #expect(one >= 600 && one < 900)
    }
}

@Suite("Captures that are announced again, in memory and in PostgreSQL", .serialized, .sharedSchema("announced"))
struct AnnouncedAgainTests {
    /// - Parameter isStalled: whether what waits for the broker is as old as it is. Otherwise it has only just been written, however long
    ///   these tests have run.
    /// - Returns: those of the captures that were due, in order; none while another suite announces others in the same database.
    @discardableResult
    private func announce(
        _ captures: [CaptureID], after wait: Duration = .seconds(60), in rows: any SyncRows, isStalled: Bool = false
    ) async throws -> [CaptureID] {
        if !isStalled, let rows = rows as? PostgresRows { try await rows.renewOutbox() }
        return try await rows.stuck.announceDue(after: wait, limit: 1000).map(\.id).filter { captures.contains($0) }
    }

    private func waitUntilAnnounced(
        _ capture: CaptureID, _ count: Int, after wait: Duration = .seconds(60), in rows: any SyncRows, isStalled: Bool = false
    ) async throws {
        try await waitUntil("announced \(count) times") {
            try await announce([capture], after: wait, in: rows, isStalled: isStalled)
            return try await rows.announcements(of: capture) >= count
        }
        let announced = try await rows.announcements(of: capture)
        #expect(announced == count)
    }

    @Test(
        "are so after a wait that doubles up to an hour, whatever the first one is", arguments: Backend.available,
        [[1, 2, 4, 8, 16, 32, 60, 60], [45, 60, 60], [60, 60, 60]])
    func waits(backend: Backend, all: [Int]) async throws {
        let rows = try backend.rows()
        let capture = try await rows.capture(.processing)
        let (first, halfAMinute) = (Duration.seconds(all[0] * 60), 30.0 / 3600)
        for (count, minutes) in all.enumerated() {
            try await rows.age(capture, hours: Double(minutes) / 60 - halfAMinute)
            try await announce([capture], after: first, in: rows)
            let announced = try await rows.announcements(of: capture)
            #expect(announced == count, "not before \(minutes) minutes are over")
            try await rows.age(capture, hours: halfAMinute)
            try await waitUntilAnnounced(capture, count + 1, after: first, in: rows)
        }
    }

    @Test("are so at once if their time is further ahead than any wait, since the clock was set back", arguments: Backend.available)
    func clockBack(backend: Backend) async throws {
        let rows = try backend.rows()
        let capture = try await rows.capture(.processing, hoursAgo: -6)
        try await waitUntilAnnounced(capture, 1, in: rows)
        try await rows.age(capture, hours: -6)
        try await waitUntilAnnounced(capture, 2, in: rows)
        try await announce([capture], in: rows)
        let announced = try await rows.announcements(of: capture)
        #expect(announced == 2, "then it waits by the new time")
    }

    @Test("are also those that failed by a fault of ours, eight times, and no others", arguments: Backend.available)
    func repairs(backend: Backend) async throws {
        let rows = try backend.rows()
        let (own, other) = (
            try await rows.capture(.failed, failure: .processDied), try await rows.capture(.failed, failure: .digestMismatch)
        )
        let complete = try await rows.capture(.complete)
        for round in 1...12 {
            for capture in [own, other, complete] { try await rows.age(capture, hours: 2) }
            try await waitUntilAnnounced(own, min(round, StuckCaptures.maximumRepairs), in: rows)
        }
        let (others, completes) = (try await rows.announcements(of: other), try await rows.announcements(of: complete))
        #expect(others == 0 && completes == 0)
    }

    @Test(
        "are not so while an announcement of their topic waits for the broker",
        .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
    func unpublished() async throws {
        let rows = PostgresRows(database: try #require(TestSchema.shared))
        let (photo, video) = (try await rows.capture(.processing, hoursAgo: 1), try await rows.capture(.processing))
        try await rows.makeVideo(video)
        try await waitUntilAnnounced(photo, 1, in: rows)
        try await rows.ageOutbox(hours: 1)
        for capture in [photo, video] { try await rows.age(capture, hours: 2) }
        try await waitUntilAnnounced(video, 1, in: rows, isStalled: true)
        let announced = try await rows.announcements(of: photo)
        #expect(announced == 1)
        // They were due all the time.
        try await rows.publish()
        try await waitUntilAnnounced(photo, 1, in: rows)
    }

    @Test("are those first that were received first, and each once", arguments: Backend.available)
    func order(backend: Backend) async throws {
        let rows = try backend.rows()
        var captures: [CaptureID] = []
        for age in [30.0, 32, 31] { captures.append(try await rows.capture(.processing, hoursAgo: age)) }
        var due: [CaptureID] = []
        try await waitUntil("announced") {
            due = try await announce(captures, in: rows)
            return !due.isEmpty
        }
        #expect(due == [captures[1], captures[2], captures[0]])
        try await announce(captures, in: rows)
        for capture in captures {
            let announced = try await rows.announcements(of: capture)
            #expect(announced == 1)
        }
    }
}

@Suite("Announcing captures again")
struct AnnouncerTests {
    @Test("goes on past one of a kind that this version does not know, which is not due again at once")
    func unknown() async throws {
        let rows = MemoryRows()
        let (odd, sound) = (try await rows.capture(.processing, hoursAgo: 2), try await rows.capture(.processing, hoursAgo: 1))
        rows.state.withLock { $0.captures[odd]?.kind = nil }
        let announcer = StuckCaptures(rows: rows, after: .seconds(60), logger: .quiet)
        try await announcer.announce()
        #expect(rows.now.announced == [sound])
        #expect(rows.now.jobs[odd]?.announcements == 1)
        try await announcer.announce()
        #expect(rows.now.announced == [sound])
    }

    @Test("takes a batch at a time, the oldest first")
    func batch() async throws {
        let rows = MemoryRows()
        for age in 1...StuckCaptures.batchSize + 1 { _ = try await rows.capture(.processing, hoursAgo: Double(age)) }
        let announcer = StuckCaptures(rows: rows, after: .seconds(60), logger: .quiet)
        try await announcer.announce()
        let first = rows.now.announced
        #expect(first.count == StuckCaptures.batchSize)
        try await announcer.announce()
        let youngest = rows.now.captures.max { $0.value.uploadedAt < $1.value.uploadedAt }?.key
        #expect(rows.now.announced.dropFirst(first.count).elementsEqual([youngest].compactMap { $0 }))
    }
}
