import CaptureProtocol
import Foundation
import GRDB
import Testing

@testable import CaptureKit

@Suite("The store of captures")
struct CaptureStoreTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    @Test("gives back what was added, also after it was opened again")
    func roundTrip() async throws {
        let rig = try StoreRig()
        let content = SampleContent()
        let added = try await rig.open().addSample()
        let store = try await rig.open()
        let capture = try await store.capture(added.id)
        #expect(capture == added)
        #expect(capture.state == .pending)
        #expect(capture.facts.photoDigest == ContentDigest(of: content.photo))
        #expect(capture.facts.depthDigest == ContentDigest(of: content.depth))
        #expect(capture.facts.metadataDigest == ContentDigest(of: content.metadata(photoHash: capture.facts.photoDigest)))
        #expect(capture.sizes[.photo] == Int64(content.photo.count))
        #expect(try store.bytes(.photo, of: added.id) == content.photo)
        #expect(try store.bytes(.depth, of: added.id) == content.depth)
        #expect(try store.bytes(.assertion, of: added.id) == [1, 2, 3])
        #expect(try store.bytes(.thumbnail, of: added.id) == content.thumbnail)
    }

    @Test("commits with full synchronisation")
    func synchronous() async throws {
        let rig = try StoreRig()
        let store = try await rig.open()
        let level = try await store.database.pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
        #expect(level == 2, "FULL")
    }

    @Test("opens the facts of a capture once, however often it is listed, and again after they changed")
    func openings() async throws {
        let rig = try StoreRig()
        let store = try await rig.open()
        var ids: [LocalID] = []
        for _ in 1...5 { ids.append(try await store.addSample().id) }
        let before = store.database.openedFacts.openings
        for _ in 1...10 { #expect(try await store.captures().map(\.id) == ids) }
        #expect(store.database.openedFacts.openings - before <= 5)
        try await store.database.update(ids[2]) { row in row.facts.link = "https://rial.example/v/aaaaaaaa" }
        let listed = store.database.openedFacts.openings
        #expect(try await store.captures()[2].facts.link == "https://rial.example/v/aaaaaaaa")
        #expect(store.database.openedFacts.openings == listed + 1)
        try await store.delete(ids[2])
        #expect(try await store.captures().map(\.id) == ids.filter { $0 != ids[2] })
    }

    @Test("keeps captures in order")
    func order() async throws {
        let rig = try StoreRig()
        let store = try await rig.open()
        var ids: [LocalID] = []
        for _ in 1...5 { ids.append(try await store.addSample().id) }
        #expect(try await store.captures().map(\.id) == ids)
    }

    @Test("keeps a capture without its assertion, and gets it later")
    func assertionLater() async throws {
        let rig = try StoreRig()
        let store = try await rig.open()
        let added = try await store.add(SampleContent()) { _ in .later }
        #expect(added.state == .assertionPending)
        #expect(!added.hasAssertion)
        let device = DeviceID()
        try await store.setAssertion([9], by: device, of: added.id)
        let capture = try await store.capture(added.id)
        #expect(capture.state == .pending)
        #expect(capture.device == device)
        #expect(try store.bytes(.assertion, of: added.id) == [9])
    }

    @Test("allows only the changes of state that the table has", arguments: CaptureState.allCases)
    func transitions(from state: CaptureState) async throws {
        let rig = try StoreRig()
        let store = try await rig.open()
        for next in CaptureState.allCases where next != state && !(state == .uploaded) {
            let added = try await store.add(SampleContent()) { _ in .later }
            try await store.move(added.id, through: state)
            let serverID = next == .uploaded ? CaptureID() : nil
            let change: @Sendable (inout ChangedRow) -> Void = { row in
                row.state = next
                row.serverID = serverID
            }
            if state.next.contains(next) {
                #expect(try await store.database.update(added.id, change).state == next)
            } else {
                await #expect(throws: StoreError.notAllowed(state, to: next)) { try await store.database.update(added.id, change) }
                #expect(try await store.capture(added.id).state == state)
            }
        }
    }

    @Test("removes files without a row when it is opened, and nothing else")
    func orphans() async throws {
        let rig = try StoreRig()
        let capture = try await rig.open().addSample()
        let wanted = try rig.content()
        #expect(wanted.count == 5)
        let other = LocalID()
        for name in ["\(other).photo", "\(other).depth", "\(capture.id).photo.new-0123456789abcdef"] {
            try Data([1]).write(to: URL(fileURLWithPath: rig.path + "/content/" + name))
        }
        let store = try await rig.open()
        let left = try rig.content()
        #expect(wanted.isSubset(of: left))
        #expect(!left.contains("\(other).photo") && !left.contains("\(other).depth"))
        #expect(try store.bytes(.depth, of: capture.id) == SampleContent().depth)
    }

    @Test("does not remove files of a capture that is being added")
    func addingMeanwhile() async throws {
        let rig = try StoreRig()
        let first = try await rig.open()
        let added = try await first.add(SampleContent()) { _ in
            // Another process opens the store now.
            _ = try? await rig.open()
            return .later
        }
        #expect(try first.bytes(.photo, of: added.id) == SampleContent().photo)
    }

    @Test("deletes a capture with its files, but not while somebody sends it")
    func deletion() async throws {
        let rig = try StoreRig()
        let store = try await rig.open()
        let (one, other) = (try await store.addSample(), try await store.addSample())
        try await store.delete(one.id)
        #expect(try await store.captures().map(\.id) == [other.id])
        #expect(try rig.content().count == 5)
        await #expect(throws: StoreError.unknownCapture(one.id)) { try await store.delete(one.id) }
        try await store.database.update(other.id) { row in row.state = .uploading }
        let lock = try #require(try FileLock.tryLock(rig.path + "/send.lock"))
        await #expect(throws: StoreError.isBeingSent) { try await store.delete(other.id) }
        lock.unlock()
        try await store.delete(other.id)
        #expect(try rig.content().isEmpty)
    }

    @Test("removes photo and depth map seven days after the upload, and keeps thumbnail and facts")
    func retention() async throws {
        let rig = try StoreRig()
        let store = try await rig.open()
        let (sent, waiting) = (try await store.addSample(), try await store.addSample())
        try await store.markUploaded(sent.id, at: now)
        try await store.expire(at: now.addingTimeInterval(7 * 86_400 - 1))
        #expect(try await store.capture(sent.id).hasContent)
        try await store.expire(at: now.addingTimeInterval(7 * 86_400))
        let left = try await store.capture(sent.id)
        #expect(!left.hasContent)
        #expect(left.facts.capturedAt == SampleContent().capturedAt)
        #expect(try store.bytes(.thumbnail, of: sent.id) == SampleContent().thumbnail)
        #expect(try await store.capture(waiting.id).hasContent)
        #expect(try rig.content().count == 3 + 5)
    }

    @Test("begins retention anew when the device's clock was ahead at the upload, and not for a small step of it")
    func clockAhead() async throws {
        let rig = try StoreRig()
        let store = try await rig.open()
        let (ahead, slightly) = (try await store.addSample(), try await store.addSample())
        try await store.markUploaded(ahead.id, at: now.addingTimeInterval(4 * 365 * 86_400))
        try await store.markUploaded(slightly.id, at: now.addingTimeInterval(600))
        try await store.expire(at: now)
        #expect(try await store.capture(ahead.id).facts.uploadedAt == now)
        #expect(try await store.capture(slightly.id).facts.uploadedAt == now.addingTimeInterval(600))
        let end = now.addingTimeInterval(7 * 86_400)
        try await store.database.update(ahead.id) { row in row.facts.confirmedAt = end }
        try await store.expire(at: end.addingTimeInterval(-1))
        #expect(try await store.capture(ahead.id).hasContent)
        try await store.expire(at: end)
        #expect(try await !store.capture(ahead.id).hasContent)
        #expect(try rig.content().count == 3 + 5)
    }

    @Test("warns when it is nearly full, and refuses captures when it is full, with numbers")
    func limits() async throws {
        var rig = try StoreRig()
        rig.limits.warningBytes = 70_000
        rig.limits.maximumBytes = 140_000
        let store = try await rig.open()
        #expect(try await store.usage() == StoreUsage(bytes: 0, warningBytes: 70_000, maximumBytes: 140_000))
        try await store.addSample()
        #expect(try await store.usage().isNearlyFull)
        try await store.addSample()
        let usage = try await store.usage()
        #expect(usage.isFull)
        await #expect(throws: StoreError.full(usage)) { try await store.addSample() }
        #expect(try rig.content().count == 10)
    }

    @Test("shows nothing of a capture in any of its files")
    func nothingPlain() async throws {
        let rig = try StoreRig()
        let store = try await rig.open()
        for _ in 1...3 {
            let capture = try await store.addSample()
            try await store.database.update(capture.id) { row in
                row.facts.failure = CaptureFailure(code: "VALIDATION_ERROR", message: "iPhone 15 Pro", details: "{\"field\":\"location\"}")
            }
        }
        let bytes = try rig.everything()
        let content = SampleContent()
        let pieces: [[UInt8]] = [
            Array(content.photo.prefix(10)), Array("{\"photo".utf8), Array("{\"field".utf8), Array("{\"captured".utf8),
            Array("45.764".utf8), Array("iPhone".utf8),
            Array("VALIDATION".utf8),
            Array(content.photo[40_000..<40_016]), Array(content.depth[100..<116]), Array((content.thumbnail ?? [])[100..<116]),
        ]
        for piece in pieces { #expect(bytes.firstRange(of: piece) == nil, "\(piece)") }
        #expect(bytes.count > 3 * content.photo.count)
    }

    @Test("is left alone if its key is gone")
    func keyGone() async throws {
        let rig = try StoreRig()
        let capture = try await rig.open().addSample()
        let before = try rig.content()
        let key = try #require(try rig.secrets.load(.storeKey))
        try rig.secrets.delete(.storeKey)
        await #expect(throws: StoreKeyError.missing) { try await rig.open() }
        #expect(try rig.secrets.load(.storeKey) == nil)
        #expect(try rig.content() == before)
        try rig.secrets.add(key, as: .storeKey)
        #expect(try await rig.open().capture(capture.id) == capture)
    }

    @Test("makes a new key if the old one is gone with all captures")
    func emptyWithoutKey() async throws {
        let rig = try StoreRig()
        let store = try await rig.open()
        try await store.delete(try await store.addSample().id)
        try rig.secrets.delete(.storeKey)
        try await rig.open().addSample()
        #expect(try await rig.open().captures().count == 1)
    }

    @Test("makes no key while the keys cannot be read")
    func locked() async throws {
        let rig = try StoreRig()
        rig.secrets.isLocked = true
        await #expect(throws: SecureStoreError.locked) { try await rig.open() }
        rig.secrets.isLocked = false
        try await rig.open().addSample()
        #expect(try await rig.open().captures().count == 1)
    }

    @Test("has one key when several processes open it for the first time at once")
    func firstStarts() async throws {
        let rig = try StoreRig()
        let counts = try await withThrowingTaskGroup(of: LocalID.self) { group in
            for _ in 1...8 { group.addTask { try await rig.open().addSample().id } }
            return try await group.reduce(into: Set<LocalID>()) { $0.insert($1) }
        }
        let store = try await rig.open()
        #expect(Set(try await store.captures().map(\.id)) == counts)
        for id in counts { #expect(try store.bytes(.photo, of: id) == SampleContent().photo) }
    }

    @Test("refuses a row whose facts were exchanged")
    func exchangedFacts() async throws {
        let rig = try StoreRig()
        let store = try await rig.open()
        let (one, other) = (try await store.addSample(), try await store.addSample())
        let database = try DatabaseQueue(path: rig.path + "/captures.sqlite")
        try await database.write { database in
            try database.execute(
                sql: "UPDATE captures SET facts = (SELECT facts FROM captures WHERE id = ?) WHERE id = ?",
                arguments: [other.id.description, one.id.description])
        }
        await #expect(throws: SealError.notAuthentic) { try await store.capture(one.id) }
        let again = try await rig.open()
        #expect(try await again.captures() == [other], "the others are not kept from being sent")
        #expect(try await again.damagedCaptures() == [one.id])
        try await again.delete(one.id)
        #expect(try await again.damagedCaptures().isEmpty)
        #expect(try rig.content().count == 5)
    }

    @Test("deletes bodies that were lent, whatever came between")
    func lending() async throws {
        let rig = try StoreRig()
        let store = try await rig.open()
        let capture = try await store.addSample()
        let body = try store.upload(of: capture).body
        let path = try await store.lend(body, as: "a.body", of: capture.id)
        #expect(FileManager.default.contents(atPath: path)?.count == Int(body.contentLength))
        #expect(try await store.database.lentBodies() == ["a.body"])
        // A file whose record was lost, and a record whose file was never written.
        try Data([1]).write(to: URL(fileURLWithPath: store.bodies.path(of: "b.body")))
        try await store.database.lend("c.body", of: capture.id)
        try await rig.open().returnLentBodies()
        #expect(try store.bodies.names() == [])
        #expect(try await store.database.lentBodies() == [])
    }

    @Test("sends the same bytes each time")
    func sameBytes() async throws {
        let rig = try StoreRig()
        let store = try await rig.open()
        let capture = try await store.addSample()
        let digests = try await [
            store.upload(of: capture).body.digest(), store.upload(of: try await store.capture(capture.id)).body.digest(),
        ]
        #expect(digests[0] == digests[1])
    }
}

extension CaptureStore {
    /// From `assertionPending` to the state.
    fileprivate func move(_ id: LocalID, through state: CaptureState) async throws {
        let paths: [CaptureState: [CaptureState]] = [
            .assertionPending: [], .assertionFailed: [.assertionFailed], .pending: [.pending], .uploading: [.pending, .uploading],
            .failed: [.pending, .failed], .uploaded: [],
        ]
        for step in paths[state] ?? [] { try await database.update(id) { row in row.state = step } }
    }
}
