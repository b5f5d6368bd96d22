import CaptureProtocol
import Foundation
import InMemoryLogging
import Logging
import Models
import ObjectStorage
import ServiceLifecycleTestKit
import Synchronization
import TestSupport
import Testing

@testable import UploadSync

@Suite("Deletion of intake")
struct IntakeCleanerTests {
    private let store = MemoryObjectStore(pageSize: 2)

    private let rows = MemoryRows()

    /// The intake that is left of them, of the first one for the longest.
    private var left: [CaptureID] { get async throws { try await rows.finished(limit: 1000) } }

    /// Captures that have been complete for hours, and whose intake is there.
    private func captures(_ count: Int) async throws -> [CaptureID] {
        var captures: [CaptureID] = []
        for index in 0..<count { captures.append(try await rows.synced(.complete, hoursAgo: Double(2 + count - index))) }
        return captures
    }

    private func fill(_ prefix: String) async throws {
        for name in ["a", "b", "c"] { try await store.put(prefix + name, bytes: [1], contentType: "image/jpeg") }
        store.leaveUnfinished(prefix + "d")
    }

    @Test("takes everything under a finished capture's prefix, page by page, and nothing of another's")
    func finished() async throws {
        let (done, other) = (try await captures(1)[0], CaptureID())
        for capture in [done, other] { try await fill("incoming/\(capture)/") }
        try await IntakeCleaner(rows: rows, storage: store, logger: .quiet).deleteFinished()
        #expect(store.keys.count == 3 && store.keys.allSatisfy { $0.hasPrefix("incoming/\(other)/") })
        #expect(try await store.unfinishedUploads(under: "").map(\.key) == ["incoming/\(other)/d"])
        #expect(try await left.isEmpty)
    }

    @Test("goes on until nothing is left, in batches")
    func batches() async throws {
        _ = try await captures(250)
        try await IntakeCleaner(rows: rows, storage: store, logger: .quiet).deleteFinished()
        #expect(rows.now.batches == 3)
        #expect(try await left.isEmpty)
    }

    @Test("leaves what cannot be deleted for another turn, and does not run in circles over it", arguments: [1, 100])
    func fails(count: Int) async throws {
        let captures = try await captures(count)
        store.refuse { _ in .unavailable }
        try await IntakeCleaner(rows: rows, storage: store, logger: .quiet).deleteFinished()
        #expect(rows.now.batches == 1)
        #expect(try await left == captures)
        store.refuse { _ in nil }
        try await IntakeCleaner(rows: rows, storage: store, logger: .quiet).deleteFinished()
        #expect(try await left.isEmpty)
    }

    @Test("ends at shutdown with the capture or upload that it is at, and leaves the others to the next process", arguments: [false, true])
    func shutdown(isAbandoned: Bool) async throws {
        var prefixes: [String] = []
        if isAbandoned {
            for _ in 0..<3 {
                let upload = try await rows.uploaded(hoursAgo: 25)
                prefixes.append("captures/\(upload)/")
            }
        } else {
            prefixes = try await captures(3).map { "incoming/\($0)/" }
        }
        for prefix in prefixes { try await fill(prefix) }
        try await testGracefulShutdown { trigger in
            store.refuse { request in
                if request.verb == .end { trigger.triggerGracefulShutdown() }
                return nil
            }
            let cleaner = IntakeCleaner(rows: rows, storage: store, logger: .quiet)
            if isAbandoned { try await cleaner.deleteAbandoned() } else { try await cleaner.deleteFinished() }
        }
        let finished = try await left
        #expect((isAbandoned ? rows.now.uploads.count : finished.count) == 2)
        #expect(store.keys.count == 6)
    }

    @Test("forgets an abandoned upload only once its objects are gone, and one that fails holds up no other")
    func abandoned() async throws {
        let (stuck, gone) = (try await rows.uploaded(hoursAgo: 26), try await rows.uploaded(hoursAgo: 25))
        for upload in [stuck, gone] { try await fill("captures/\(upload)/") }
        store.refuse { $0.verb == .delete && $0.key.contains("\(stuck)") ? .accessDenied : nil }
        try await IntakeCleaner(rows: rows, storage: store, logger: .quiet).deleteAbandoned()
        #expect(Array(rows.now.uploads.keys) == [stuck])
        #expect(store.keys.allSatisfy { $0.hasPrefix("captures/\(stuck)/") } && store.keys.count == 3)
    }
}

@Suite("Deletion of objects without a name")
struct DerivedSweeperTests {
    private let rows = MemoryRows()

    @Test("takes what no row names a day after it was stored, and looks again at what is younger")
    func sweep() async throws {
        let clock = Moment()
        let store = MemoryObjectStore(pageSize: 2, now: { clock.now })
        let capture = try await rows.synced(.complete, hoursAgo: 25)
        let prefix = "captures/\(capture)/"
        for name in ["named", "old", "older"] { try await store.put(prefix + name, bytes: [1], contentType: "image/jpeg") }
        clock.advance(hours: 20)
        try await store.put(prefix + "young", bytes: [1], contentType: "image/jpeg")
        clock.advance(hours: 5)
        try await rows.name(.original, prefix + "named", of: capture)
        let sweeper = DerivedSweeper(rows: rows, storage: store, logger: .quiet)
        try await sweeper.sweep(at: clock.now)
        #expect(store.keys == [prefix + "named", prefix + "young"])
        #expect(try await rows.unswept(limit: 1000) == [capture])
        clock.advance(hours: 20)
        try await sweeper.sweep(at: clock.now)
        #expect(store.keys == [prefix + "named"])
        #expect(try await rows.unswept(limit: 1000).isEmpty)
    }

    @Test("ends uploads that a process left unfinished, and none of another capture")
    func unfinished() async throws {
        let store = MemoryObjectStore()
        let (capture, other) = (try await rows.synced(.complete, hoursAgo: 25), CaptureID())
        for id in [capture, other] { store.leaveUnfinished("captures/\(id)/c2pa.mp4") }
        try await DerivedSweeper(rows: rows, storage: store, logger: .quiet).sweep(at: Date())
        #expect(try await store.unfinishedUploads(under: "").map(\.key) == ["captures/\(other)/c2pa.mp4"])
        #expect(try await rows.unswept(limit: 1000).isEmpty)
    }

    @Test("takes nothing if the store cannot be listed, and goes on with the others")
    func fails() async throws {
        let store = MemoryObjectStore(now: { .distantPast })
        let (stuck, other) = (try await rows.synced(.complete, hoursAgo: 26), try await rows.synced(.complete, hoursAgo: 25))
        for capture in [stuck, other] { try await store.put("captures/\(capture)/x", bytes: [1], contentType: "image/jpeg") }
        store.refuse { $0.verb == .list && $0.key.contains("\(stuck)") ? .unavailable : nil }
        try await DerivedSweeper(rows: rows, storage: store, logger: .quiet).sweep(at: Date())
        #expect(store.keys == ["captures/\(stuck)/x"])
        #expect(try await rows.unswept(limit: 1000) == [stuck])
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
    private let rows = MemoryRows()

    /// Brings a capture again once no row names its media any more.
    private struct BringingRows: ExpiryRepository {
        let rows: MemoryRows
        let brought: CaptureID

        func expired(limit: Int) async throws -> [CaptureID] { try await rows.expired(limit: limit) }
        func forgetMedia(of capture: CaptureID) async throws -> Bool {
            let isForgotten = try await rows.forgetMedia(of: capture)
            if capture == brought { try await rows.upload(CaptureID(), brings: capture) }
            return isForgotten
        }
        func expire(_ capture: CaptureID, delete: @escaping @Sendable () async throws -> Void) async throws -> Bool {
            try await rows.expire(capture, delete: delete)
        }
    }

    /// Captures that failed more than a month ago, the first one before the others.
    private func failed(_ count: Int) async throws -> [CaptureID] {
        var captures: [CaptureID] = []
        for index in 0..<count { captures.append(try await rows.synced(.failed, hoursAgo: Double(1000 + count - index))) }
        return captures
    }

    private func fill(_ capture: CaptureID) async throws {
        for prefix in ["incoming", "captures"] { try await store.put("\(prefix)/\(capture)/x", bytes: [1], contentType: "image/jpeg") }
    }

    @Test("no row names them before they go, and what is brought again in the meantime stays")
    func expires() async throws {
        let captures = try await failed(3)
        let (gone, before, after) = (captures[0], captures[1], captures[2])
        for capture in captures { try await fill(capture) }
        try await rows.upload(CaptureID(), brings: before)
        try await MediaExpiry(rows: BringingRows(rows: rows, brought: after), storage: store, logger: .quiet).expire()
        let named = captures.filter { rows.now.jobs[$0]?.syncedAt != nil }
        #expect(named == [before])
        #expect(try await rows.expired(limit: 1000).isEmpty)
        rows.state.withLock { $0.uploads = [:] }
        #expect(try await rows.expired(limit: 1000) == [before, after])
        #expect(store.keys.count == 4 && !store.keys.contains { $0.contains("\(gone)") })
    }

    @Test("those that are brought again hold up no others, however many they are", arguments: [true, false])
    func held(isSynced: Bool) async throws {
        var captures = try await failed(MediaExpiry.batchSize + 1)
        let last = captures.removeLast()
        try await fill(last)
        for capture in captures {
            if isSynced { try await rows.sync(capture) } else { try await rows.upload(CaptureID(), brings: capture) }
        }
        try await MediaExpiry(rows: rows, storage: store, logger: .quiet).expire()
        #expect(store.keys.isEmpty && rows.now.jobs[last]?.expiredAt != nil)
    }

    @Test("come up again when the store does not delete them")
    func fails() async throws {
        let capture = try await failed(1)[0]
        try await fill(capture)
        store.refuse { $0.verb == .delete ? .unavailable : nil }
        try await MediaExpiry(rows: rows, storage: store, logger: .quiet).expire()
        #expect(store.keys.count == 2)
        #expect(try await rows.expired(limit: 1000) == [capture])
        store.refuse { _ in nil }
        try await MediaExpiry(rows: rows, storage: store, logger: .quiet).expire()
        #expect(store.keys.isEmpty)
        #expect(try await rows.expired(limit: 1000).isEmpty)
    }
}

@Suite("Reading stored media again", .timeLimit(.minutes(1)))
struct MediaScrubberTests {
    private let store = MemoryObjectStore()
    private let clock = TestClock()
    private let rows = MemoryRows()

    /// A capture with these objects that is due for a scrub, for the longer the greater its age.
    private func add(_ objects: [(name: String, media: StoredMedia)], age: Double = 1) async throws -> CaptureID {
        let capture = try await rows.synced(.complete, hoursAgo: (30 + age) * 24)
        rows.state.withLock { $0.objects[capture] = Dictionary(uniqueKeysWithValues: objects.map { ($0.name, $0.media) }) }
        return capture
    }

    /// What is damaged, by name.
    private var problems: [String: MediaProblem] {
        rows.now.damage.values.reduce(into: [:]) { $0.merge($1) { one, _ in one } }
    }

    private func put(_ name: String, _ count: Int = 1000) async throws -> (name: String, media: StoredMedia) {
        let bytes = [UInt8](repeating: 7, count: count)
        try await store.put(name, bytes: bytes, contentType: "image/jpeg")
        return (
            name, StoredMedia(key: name, sha256: ContentDigest(of: bytes), sizeBytes: Int64(count), contentType: "image/jpeg")
        )
    }

    private func scrubber(bytesPerSecond: Int = 1 << 30, logger: Logger = .quiet) -> MediaScrubber {
        MediaScrubber(days: 30, bytesPerSecond: bytesPerSecond, rows: rows, storage: store, clock: clock, logger: logger)
    }

    /// From now on the store refuses reads with these numbers, counted from its first one.
    private func refuse(_ numbers: some RangeExpression<Int> & Sendable) {
        store.refuse { [store] _ in numbers.contains(store.requests.count { $0.verb == .get }) ? .unavailable : nil }
    }

    private func scrub(bytesPerSecond: Int = 1 << 30) async throws {
        try await scrubber(bytesPerSecond: bytesPerSecond).scrub()
    }

    @Test("finds what is missing or other than it was, and that it is mended later")
    func damage() async throws {
        let objects = [try await put("sound"), try await put("gone"), try await put("swapped"), try await put("short")]
        try await store.delete(["gone"])
        try await store.put("swapped", bytes: [UInt8](repeating: 8, count: 1000), contentType: "image/jpeg")
        try await store.put("short", bytes: [7], contentType: "image/jpeg")
        let capture = try await add(objects)
        try await scrub()
        #expect(problems == ["gone": .missing, "swapped": .digestMismatch, "short": .digestMismatch])
        _ = try await put("gone")
        try await rows.age(capture, hours: 31 * 24)
        try await scrub()
        #expect(problems == ["swapped": .digestMismatch, "short": .digestMismatch])
    }

    @Test("what is damaged is read again in an hour, so that it counts as mended soon after it was restored", arguments: [true, false])
    func mended(isMissing: Bool) async throws {
        let capture = try await add([try await put("harmed"), try await put("sound")])
        if isMissing {
            try await store.delete(["harmed"])
        } else {
            try await store.put("harmed", bytes: [8], contentType: "image/jpeg")
        }
        try await scrub()
        #expect(problems == ["harmed": isMissing ? .missing : .digestMismatch])
        #expect(rows.now.jobs[capture]?.scrubbedAt == MemoryRows.ago(hours: 30 * 24 - 1))
        _ = try await put("harmed")
        try await rows.age(capture, hours: 1.1)
        try await scrub()
        #expect(problems.isEmpty && rows.now.jobs[capture]?.scrubbedAt == MemoryRows.time)
    }

    @Test("captures that stay damaged neither end a turn nor come before those that are due for longer")
    func staysDamaged() async throws {
        var captures: [CaptureID] = []
        for index in 0..<5 { captures.append(try await add([try await put("\(index)")], age: Double(9 - index))) }
        try await store.delete((0..<4).map { "\($0)" })
        try await scrub()
        #expect(rows.now.scrubbed == captures && problems.count == 4)
        for (index, capture) in captures.dropLast().enumerated() { try await rows.age(capture, hours: 1.2 - 0.01 * Double(index)) }
        let sound = try await add([try await put("5")], age: 0.01)
        let later = try await add([try await put("6")], age: 0.001)
        try await scrub()
        #expect(rows.now.scrubbed.suffix(6) == [sound] + captures.dropLast() + [later])
    }

    @Test("is measured whatever is due, and without a store")
    func measured() async throws {
        let capture = try await add([try await put("sound")])
        store.refuse { _ in .unavailable }
        try await scrubber().measure()
        #expect(rows.now.measurements == 1 && rows.now.jobs[capture]?.scrubbedAt == nil && rows.now.scrubbed.isEmpty)
        let state = try await rows.measure()
        #expect(state.damaged == 0 && state.unscrubbedSeconds == 31 * 86_400)
    }

    @Test("reads no more bytes a second than it may")
    func paced() async throws {
        _ = try await add([try await put("a", 600_000), try await put("b", 400_000)])
        try await scrub(bytesPerSecond: 10_000)
        let slept = clock.sleeps.reduce(.zero, +)
        #expect(slept <= .seconds(100) && slept > .seconds(90))
    }

    @Test("a capture that the store does not give holds up no others, and is damaged by that no more than before")
    func unreadable() async throws {
        let captures = [
            try await add([try await put("locked"), try await put("beside")], age: 3), try await add([try await put("sound")], age: 2),
            try await add([try await put("lost")], age: 1),
        ]
        try await store.delete(["lost", "beside"])
        store.refuse { $0.key == "locked" ? .accessDenied : nil }
        try await scrub()
        #expect(rows.now.scrubbed == captures && problems == ["lost": .missing, "beside": .missing])
    }

    @Test("three captures in a row that cannot be read are the store's fault, and end the turn; they are read an hour later")
    func storeAway() async throws {
        var captures: [CaptureID] = []
        for index in 0..<5 { captures.append(try await add([try await put("\(index)")])) }
        store.refuse { _ in .unavailable }
        await #expect(throws: ObjectStorageError.self) { try await scrub() }
        #expect(rows.now.scrubbed.count == 3 && problems.isEmpty)
        store.refuse { _ in nil }
        for capture in captures { try await rows.age(capture, hours: 1.1) }
        try await scrub()
        #expect(rows.now.scrubbed.count == 8 && Set(rows.now.scrubbed.suffix(5)) == Set(captures))
    }

    @Test(
        "an object that the store does not give beside others is damaged, until it is read an hour later",
        arguments: [ObjectStorageError.Code.unavailable, .accessDenied, .invalidResponse])
    func refused(code: ObjectStorageError.Code) async throws {
        let capture = try await add([try await put("broken"), try await put("sound")])
        store.refuse { $0.key == "broken" ? code : nil }
        try await scrub()
        #expect(problems == ["broken": .unreadable] && rows.now.scrubbed == [capture])
        try await scrub()
        #expect(rows.now.scrubbed == [capture], "the same turn has others")
        store.refuse { _ in nil }
        try await rows.age(capture, hours: 1.1)
        try await scrub()
        #expect(problems.isEmpty && rows.now.scrubbed == [capture, capture])
    }

    @Test("captures of which the store gives nothing are damaged if it has given another one; three in a row end the turn, not the next")
    func refusedCaptures() async throws {
        _ = try await add([try await put("sound")], age: 9)
        for index in 0..<4 { _ = try await add([try await put("broken \(index)")], age: Double(index + 1)) }
        store.refuse { $0.key.hasPrefix("broken") ? .unavailable : nil }
        try await scrub()
        #expect(problems.count == 3 && problems.values.allSatisfy { $0 == .unreadable })
        #expect(rows.now.scrubbed.count == 4)
        try await scrub()
        #expect(rows.now.scrubbed.count == 5 && Set(rows.now.scrubbed).count == 5, "the next turn goes on with the other")
    }

    @Test("a store that fails during a look has damaged nothing, nor has one that refuses once")
    func storeFails() async throws {
        let capture = try await add([try await put("a"), try await put("b")])
        refuse(2...)
        try await scrub()
        #expect(problems.isEmpty && rows.now.scrubbed == [capture])
        try await rows.age(capture, hours: 1.1)
        let asked = store.requests.count { $0.verb == .get }
        refuse(asked + 2..<asked + 3)
        try await scrub()
        #expect(problems.isEmpty && rows.now.scrubbed == [capture, capture])
        try await rows.age(capture, hours: 1.1)
        try await scrub()
        #expect(rows.now.scrubbed == [capture, capture], "it was compared")
    }

    @Test("tells of each object that cannot be read whose it is", arguments: [false, true])
    func told(isAlone: Bool) async throws {
        let logs = InMemoryLogHandler()
        let capture = try await add(isAlone ? [try await put("broken")] : [try await put("broken"), try await put("sound")])
        store.refuse { $0.key == "broken" ? .unavailable : nil }
        try await scrubber(logger: Logger(label: "tests") { _ in logs }).scrub()
        #expect(logs.entries.map(\.level) == [isAlone ? .warning : .error])
        let metadata = try #require(logs.entries.first?.metadata)
        #expect(metadata["capture_id"] == "\(capture)" && metadata["name"] == "broken" && metadata["key"] == "broken")
        #expect(metadata["problem"] == (isAlone ? nil : "unreadable"))
    }
}
