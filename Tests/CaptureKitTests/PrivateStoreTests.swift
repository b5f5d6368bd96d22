import CaptureProtocol
import Foundation
import GRDB
import Testing

@testable import CaptureKit

@Suite("Captures in privacy mode in the store")
struct PrivateStoreTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)
    private let content: PrivateCapture

    init() throws { content = try PrivateFixture.capture() }

    @discardableResult
    private func add(to store: CaptureStore) async throws -> StoredCapture {
        try await store.add(content) { _ in .made([1, 2, 3], by: DeviceID()) }
    }

    @Test("keep the very bytes that were hashed, also after the store was opened again")
    func roundTrip() async throws {
        let rig = try StoreRig()
        let added = try await add(to: try await rig.open())
        let store = try await rig.open()
        let capture = try await store.capture(added.id)
        #expect(capture == added && capture.mode == .hashOnly && capture.state == .pending)
        #expect(capture.facts.flags == content.flags && capture.facts.depthWidth == 64 && capture.facts.depthHeight == 48)
        let payload = try HashOnlyPayload.parse(try store.bytes(.payload, of: added.id))
        let photo = try store.content(.original, of: added.id).read(count: .max, at: 0)
        #expect(photo == content.photo)
        #expect(ContentDigest(of: photo) == payload.mediaHash && payload.mediaHash == capture.facts.photoDigest)
        #expect(try store.content(.originalDepth, of: added.id).read(count: .max, at: 0) == content.depth)
        #expect(try store.bytes(.thumbnail, of: added.id) == content.thumbnail)
    }

    @Test("outlive every clean-up, and go when their person deletes them")
    func retention() async throws {
        let rig = try StoreRig()
        let store = try await rig.open()
        let (kept, full) = (try await add(to: store), try await store.addSample())
        for capture in [kept, full] { try await store.markUploaded(capture.id, at: now) }
        for days in [7.0, 365, 3650] { try await store.expire(at: now.addingTimeInterval(days * 86_400)) }
        let later = try await rig.open()
        #expect(try await !later.capture(full.id).hasContent)
        #expect(try await later.capture(kept.id).sizes == kept.sizes)
        #expect(try later.content(.original, of: kept.id).read(count: .max, at: 0) == content.photo)
        try await later.delete(kept.id)
        #expect(try rig.content().filter { $0.hasPrefix(kept.id.description) } == [])
        await #expect(throws: StoreError.unknownCapture(kept.id)) { try await later.capture(kept.id) }
    }

    @Test("count towards the store's limits, which say how much of it no time-out removes")
    func limits() async throws {
        var rig = try StoreRig()
        rig.limits.maximumBytes = 80_000
        let store = try await rig.open()
        let capture = try await add(to: store)
        let kept = Int64(content.photo.count + content.depth.count)
        let usage = try await store.usage()
        #expect(usage.keptBytes == kept && usage.bytes == capture.sizes.values.reduce(0, +) && !usage.isFull)
        try await add(to: store)
        let full = try await store.usage()
        #expect(full.isFull && full.keptBytes == 2 * kept)
        await #expect(throws: StoreError.full(full)) { try await add(to: store) }
        try await store.expire(at: now.addingTimeInterval(1e9))
        #expect(try await store.usage() == full)
    }

    @Test("show nothing of themselves in any file")
    func nothingPlain() async throws {
        let rig = try StoreRig()
        let store = try await rig.open()
        for _ in 1...3 { try await add(to: store) }
        let bytes = try rig.everything()
        let pieces: [[UInt8]] = [
            Array("Exif".utf8), Array("{\"depth_an".utf8), Array("media_hash".utf8), Array("38.707".utf8), Array("iPhone".utf8),
            Array("precise".utf8), Array(content.photo[30_000..<30_016]), Array(content.depth[100..<116]),
        ]
        for piece in pieces { #expect(bytes.firstRange(of: piece) == nil, "\(piece)") }
        #expect(bytes.count > 3 * content.photo.count)
    }

    @Test("are jobs without a handle on media")
    func job() async throws {
        let rig = try StoreRig()
        let store = try await rig.open()
        let capture = try await add(to: store)
        let job = try store.job(of: capture)
        guard case .hashOnly(let body) = job else { throw CocoaError(.coderInvalidValue) }
        // Bytes of payload and assertion, and nothing by which others could be read.
        let members = Mirror(reflecting: body).children
        #expect(members.allSatisfy { $0.value is [UInt8] })
        #expect(members.compactMap { $0.value as? [UInt8] } == [try store.bytes(.payload, of: capture.id), [1, 2, 3]])
        #expect(job.contentType == "application/json")
        #expect(throws: StoreError.contentRemoved) { try store.upload(of: capture) }
        let unsigned = try await store.add(content) { _ in .later }
        #expect(throws: StoreError.needsAssertion) { try store.job(of: unsigned) }
    }

    @Test("are not sent in full, whoever changes the store's folder")
    func changedMode() async throws {
        let rig = try QueueRig()
        let queue = try await rig.queue()
        let capture = try await queue.add(content)
        let folder = URL(fileURLWithPath: rig.store.path)
        try await DatabaseQueue(path: folder.appendingPathComponent("captures.sqlite").path).write { database in
            try database.execute(
                sql: """
                    UPDATE captures SET job = 'full', photo_bytes = original_bytes, depth_bytes = original_depth_bytes,
                        metadata_bytes = payload_bytes
                    """)
        }
        for (from, to) in [("original", "photo"), ("original-depth", "depth"), ("payload", "metadata")] {
            let name = { (kind: String) in folder.appendingPathComponent("content/\(capture.id).\(kind)") }
            try FileManager.default.copyItem(at: name(from), to: name(to))
        }
        try await queue.run(untilEmpty: true)
        #expect(await rig.uploads.isEmpty)
        #expect(try await queue.capture(capture.id).state == .failed)
    }

    @Test("are found beside those of an earlier version of the store")
    func migration() async throws {
        let rig = try StoreRig()
        let earlier = try await rig.open()
        let former = try await earlier.addSample()
        try earlier.close()
        // As version 1 left it.
        let database = try DatabaseQueue(path: rig.path + "/captures.sqlite")
        try await database.write { database in
            for column in ["payload_bytes", "original_bytes", "original_depth_bytes"] {
                try database.execute(sql: "ALTER TABLE captures DROP COLUMN \(column)")
            }
            try database.execute(sql: "DELETE FROM grdb_migrations WHERE identifier = '2 privacy mode'")
        }
        try database.close()
        let store = try await rig.open()
        let added = try await add(to: store)
        #expect(try await store.captures() == [former, added])
        try await store.expectWhole("after the migration")
    }
}
