import CaptureProtocol
import Foundation
import Logging
import Models
import ObjectStorage
import ServiceLifecycleTestKit
import Synchronization
import TestSupport
import Testing

@testable import UploadSync

private let quiet = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }

@Suite("Deletion of intake")
struct IntakeCleanerTests {
    private let store = MemoryObjectStore(pageSize: 2)

    private func fill(_ prefix: String) async throws {
        for name in ["a", "b", "c"] { try await store.put(prefix + name, bytes: [1], contentType: "image/jpeg") }
        store.leaveUnfinished(prefix + "d")
    }

    @Test("takes everything under a finished capture's prefix, page by page, and nothing of another's")
    func finished() async throws {
        let (done, other) = (CaptureID(), CaptureID())
        for capture in [done, other] { try await fill("incoming/\(capture)/") }
        let rows = MemoryRows { $0.finished = [done] }
        try await IntakeCleaner(rows: rows, storage: store, logger: quiet).deleteFinished()
        #expect(store.keys.count == 3 && store.keys.allSatisfy { $0.hasPrefix("incoming/\(other)/") })
        #expect(try await store.unfinishedUploads(under: "").map(\.key) == ["incoming/\(other)/d"])
        #expect(rows.now.finished.isEmpty)
    }

    @Test("goes on until nothing is left, in batches")
    func batches() async throws {
        let captures = (0..<250).map { _ in CaptureID() }
        let rows = MemoryRows { $0.finished = captures }
        try await IntakeCleaner(rows: rows, storage: store, logger: quiet).deleteFinished()
        #expect(rows.now.finished.isEmpty && rows.now.batches == 3)
    }

    @Test("leaves what cannot be deleted for another turn, and does not run in circles over it", arguments: [1, 100])
    func fails(count: Int) async throws {
        let captures = (0..<count).map { _ in CaptureID() }
        let rows = MemoryRows { $0.finished = captures }
        store.refuse { _ in .unavailable }
        try await IntakeCleaner(rows: rows, storage: store, logger: quiet).deleteFinished()
        #expect(rows.now.finished == captures && rows.now.batches == 1)
        store.refuse { _ in nil }
        try await IntakeCleaner(rows: rows, storage: store, logger: quiet).deleteFinished()
        #expect(rows.now.finished.isEmpty)
    }

    @Test("ends at shutdown with the capture or upload that it is at, and leaves the others to the next process", arguments: [false, true])
    func shutdown(isAbandoned: Bool) async throws {
        let captures = (0..<3).map { _ in CaptureID() }
        for capture in captures { try await fill("incoming/\(capture)/") }
        let rows = MemoryRows {
            $0.finished = captures
            $0.abandoned = captures.map { ($0, "incoming/\($0)/") }
        }
        try await testGracefulShutdown { trigger in
            store.refuse { request in
                if request.verb == .end { trigger.triggerGracefulShutdown() }
                return nil
            }
            let cleaner = IntakeCleaner(rows: rows, storage: store, logger: quiet)
            if isAbandoned { try await cleaner.deleteAbandoned() } else { try await cleaner.deleteFinished() }
        }
        #expect(rows.now.abandoned.count == (isAbandoned ? 2 : 3) && rows.now.finished.count == (isAbandoned ? 3 : 2))
        #expect(store.keys.count == 6)
    }

    @Test("forgets an abandoned upload only once its objects are gone, and one that fails holds up no other")
    func abandoned() async throws {
        let (stuck, gone) = (CaptureID(), CaptureID())
        for upload in [stuck, gone] { try await fill("captures/\(upload)/") }
        let rows = MemoryRows { $0.abandoned = [stuck, gone].map { ($0, "captures/\($0)/") } }
        store.refuse { $0.verb == .delete && $0.key.contains("\(stuck)") ? .accessDenied : nil }
        try await IntakeCleaner(rows: rows, storage: store, logger: quiet).deleteAbandoned()
        #expect(rows.now.abandoned.map(\.id) == [stuck])
        #expect(store.keys.allSatisfy { $0.hasPrefix("captures/\(stuck)/") } && store.keys.count == 3)
    }
}

@Suite("Deletion of objects without a name")
struct DerivedSweeperTests {
    @Test("takes what no row names a day after it was stored, and looks again at what is younger")
    func sweep() async throws {
        let clock = Moment()
        let store = MemoryObjectStore(pageSize: 2, now: { clock.now })
        let capture = CaptureID()
        let prefix = "captures/\(capture)/"
        for name in ["named", "old", "older"] { try await store.put(prefix + name, bytes: [1], contentType: "image/jpeg") }
        clock.advance(hours: 20)
        try await store.put(prefix + "young", bytes: [1], contentType: "image/jpeg")
        clock.advance(hours: 5)
        let rows = MemoryRows {
            $0.unswept = [capture]
            $0.named = [capture: [prefix + "named"]]
        }
        let sweeper = DerivedSweeper(rows: rows, storage: store, logger: quiet)
        try await sweeper.sweep(at: clock.now)
        #expect(store.keys == [prefix + "named", prefix + "young"] && rows.now.unswept == [capture])
        clock.advance(hours: 20)
        try await sweeper.sweep(at: clock.now)
        #expect(store.keys == [prefix + "named"] && rows.now.unswept.isEmpty)
    }

    @Test("ends uploads that a process left unfinished, and none of another capture")
    func unfinished() async throws {
        let store = MemoryObjectStore()
        let (capture, other) = (CaptureID(), CaptureID())
        for id in [capture, other] { store.leaveUnfinished("captures/\(id)/c2pa.mp4") }
        let rows = MemoryRows { $0.unswept = [capture] }
        try await DerivedSweeper(rows: rows, storage: store, logger: quiet).sweep(at: Date())
        #expect(try await store.unfinishedUploads(under: "").map(\.key) == ["captures/\(other)/c2pa.mp4"])
        #expect(rows.now.unswept.isEmpty)
    }

    @Test("takes nothing if the store cannot be listed, and goes on with the others")
    func fails() async throws {
        let store = MemoryObjectStore(now: { .distantPast })
        let (stuck, other) = (CaptureID(), CaptureID())
        for capture in [stuck, other] { try await store.put("captures/\(capture)/x", bytes: [1], contentType: "image/jpeg") }
        store.refuse { $0.verb == .list && $0.key.contains("\(stuck)") ? .unavailable : nil }
        let rows = MemoryRows { $0.unswept = [stuck, other] }
        try await DerivedSweeper(rows: rows, storage: store, logger: quiet).sweep(at: Date())
        #expect(store.keys == ["captures/\(stuck)/x"] && rows.now.unswept == [stuck])
    }

    /// The current time, which the test changes.
    private final class Moment: Sendable {
        private let time = Mutex(Date(timeIntervalSince1970: 1_795_000_000))
        var now: Date { time.withLock { $0 } }
        func advance(hours: Double) { time.withLock { $0 += hours * 3600 } }
    }
}

@Suite("Deletion of failed captures' media")
struct MediaExpiryTests {
    private let store = MemoryObjectStore()

    private func fill(_ capture: CaptureID) async throws {
        for prefix in ["incoming", "captures"] { try await store.put("\(prefix)/\(capture)/x", bytes: [1], contentType: "image/jpeg") }
    }

    @Test("no row names them before they go, and what is brought again in the meantime stays")
    func expires() async throws {
        let (gone, before, after) = (CaptureID(), CaptureID(), CaptureID())
        for capture in [gone, before, after] { try await fill(capture) }
        let rows = MemoryRows {
            $0.expired = [gone, before, after]
            $0.broughtBefore = [before]
            $0.broughtAfter = [after]
        }
        try await MediaExpiry(rows: rows, storage: store, logger: quiet).expire()
        #expect(rows.now.forgotten == [gone, after] && rows.now.expired == [before, after])
        #expect(store.keys.count == 4 && !store.keys.contains { $0.contains("\(gone)") })
    }

    @Test("come up again when the store does not delete them")
    func fails() async throws {
        let capture = CaptureID()
        try await fill(capture)
        let rows = MemoryRows { $0.expired = [capture] }
        store.refuse { $0.verb == .delete ? .unavailable : nil }
        try await MediaExpiry(rows: rows, storage: store, logger: quiet).expire()
        #expect(rows.now.expired == [capture] && store.keys.count == 2)
        store.refuse { _ in nil }
        try await MediaExpiry(rows: rows, storage: store, logger: quiet).expire()
        #expect(rows.now.expired.isEmpty && store.keys.isEmpty)
    }
}

@Suite("Reading stored media again", .timeLimit(.minutes(1)))
struct MediaScrubberTests {
    private let store = MemoryObjectStore()
    private let clock = TestClock()

    private func put(_ name: String, _ count: Int = 1000) async throws -> (name: String, media: StoredMedia) {
        let bytes = [UInt8](repeating: 7, count: count)
        try await store.put(name, bytes: bytes, contentType: "image/jpeg")
        return (
            name, StoredMedia(key: name, sha256: ContentDigest(of: bytes), sizeBytes: Int64(count), contentType: "image/jpeg")
        )
    }

    private func scrubber(_ rows: MemoryScrubRows, bytesPerSecond: Int = 1 << 30) -> MediaScrubber {
        MediaScrubber(days: 30, bytesPerSecond: bytesPerSecond, rows: rows, storage: store, clock: clock, logger: quiet)
    }

    private func scrub(_ rows: MemoryScrubRows, bytesPerSecond: Int = 1 << 30) async throws {
        try await scrubber(rows, bytesPerSecond: bytesPerSecond).scrub()
    }

    @Test("finds what is missing or other than it was, and that it is mended later")
    func damage() async throws {
        let objects = [try await put("sound"), try await put("gone"), try await put("swapped"), try await put("short")]
        try await store.delete(["gone"])
        try await store.put("swapped", bytes: [UInt8](repeating: 8, count: 1000), contentType: "image/jpeg")
        try await store.put("short", bytes: [7], contentType: "image/jpeg")
        let capture = CaptureID()
        let rows = MemoryScrubRows([(capture, objects)])
        try await scrub(rows)
        #expect(rows.now.problems == ["gone": .missing, "swapped": .digestMismatch, "short": .digestMismatch])
        _ = try await put("gone")
        rows.add(capture, objects)
        try await scrub(rows)
        #expect(rows.now.problems == ["swapped": .digestMismatch, "short": .digestMismatch])
    }

    @Test("is measured whatever is due, and without a store")
    func measured() async throws {
        let capture = CaptureID()
        let rows = MemoryScrubRows([(capture, [try await put("sound")])])
        store.refuse { _ in .unavailable }
        try await scrubber(rows).measure()
        #expect(rows.now.isMeasured && rows.now.due.map(\.capture) == [capture] && rows.now.looked.isEmpty)
    }

    @Test("reads no more bytes a second than it may")
    func paced() async throws {
        let rows = MemoryScrubRows([(CaptureID(), [try await put("a", 600_000), try await put("b", 400_000)])])
        try await scrub(rows, bytesPerSecond: 10_000)
        let slept = clock.sleeps.reduce(.zero, +)
        #expect(slept <= .seconds(100) && slept > .seconds(90))
    }

    @Test("a capture that the store does not give holds up no others, and is damaged by that no more than before")
    func unreadable() async throws {
        let captures = [CaptureID(), CaptureID(), CaptureID()]
        let rows = MemoryScrubRows([
            (captures[0], [try await put("locked"), try await put("beside")]), (captures[1], [try await put("sound")]),
            (captures[2], [try await put("lost")]),
        ])
        try await store.delete(["lost", "beside"])
        store.refuse { $0.key == "locked" ? .accessDenied : nil }
        try await scrub(rows)
        #expect(rows.now.looked == captures && rows.now.problems == ["lost": .missing, "beside": .missing])
    }

    @Test("three captures in a row that cannot be read are the store's fault, and end the turn")
    func storeAway() async throws {
        var due: [(capture: CaptureID, objects: [(name: String, media: StoredMedia)])] = []
        for index in 0..<5 { due.append((CaptureID(), [try await put("\(index)")])) }
        let rows = MemoryScrubRows(due)
        store.refuse { _ in .unavailable }
        await #expect(throws: ObjectStorageError.self) { try await scrub(rows) }
        #expect(rows.now.looked.count == 3 && rows.now.problems.isEmpty)
    }
}
