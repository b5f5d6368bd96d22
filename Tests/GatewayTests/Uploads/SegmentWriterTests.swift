import CaptureProtocol
import Foundation
import NIOCore
import ObjectStorage
import Persistence
import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite("Storing what comes of an upload", .enabled(if: GatewayDatabase.isConfigured, GatewayDatabase.hint))
struct SegmentWriterTests {
    private struct Case: Sendable {
        let uploads: PostgresUploadRepository
        let store: MemoryObjectStore
        let upload: Upload

        func writer(delay: Duration = SegmentWriter.delay) -> SegmentWriter {
            SegmentWriter(upload, uploads: uploads, storage: store, delay: delay)
        }

        func offset() async throws -> Int64? { try await uploads.find(upload.id)?.offset }

        /// The stored segments, together.
        func body() async throws -> [UInt8] {
            try await uploads.segments(of: upload.id).flatMap { store.bytes($0.key) ?? [] }
        }
    }

    /// - Parameter length: of the whole body.
    private static func with(length: Int = 4 << 20, _ body: @Sendable (Case) async throws -> Void) async throws {
        try await GatewayDatabase.with { pool in
            let uploads = PostgresUploadRepository(database: pool)
            let device = try await CaptureRepositoryTests.insertDevice(pool)
            let upload = try await UploadRepositoryTests.new(uploads, device)
            _ = try await pool.query("UPDATE uploads SET length_bytes = \(length)")
            try await body(Case(uploads: uploads, store: MemoryObjectStore(), upload: try #require(try await uploads.find(upload.id))))
        }
    }

    private static func bytes(_ count: Int, from start: Int = 0) -> ByteBuffer {
        ByteBuffer(bytes: (start..<start + count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) })
    }

    @Test("a segment is stored at a MiB, the rest at the end, in order and without a gap")
    func sizes() async throws {
        try await Self.with { sample in
            // However slow the machine is, none is stored because time has passed.
            let writer = sample.writer(delay: .seconds(600))
            for start in stride(from: 0, to: 3_000_000, by: 60_000) { try await writer.take(Self.bytes(60_000, from: start)) }
            #expect(sample.store.keys.count >= 1)
            try await writer.finish()
            #expect(try await sample.offset() == 3_000_000)
            #expect(try await sample.body() == Array(Self.bytes(3_000_000).readableBytesView))
            #expect(sample.store.keys.count == 3)
        }
    }

    @Test("its last 4 MiB are held, and not read again; what came before them is")
    func held() async throws {
        let bytes = Self.bytes(6_000_000)
        try await Self.with(length: bytes.readableBytes) { sample in
            let writer = sample.writer(delay: .seconds(600))
            var rest = bytes
            while let piece = rest.readSlice(length: min(rest.readableBytes, 100_000)), piece.readableBytes > 0 {
                try await writer.take(piece)
            }
            try await writer.finish()
            let (segments, held) = (try await sample.uploads.segments(of: sample.upload.id), await writer.held)
            let heldKeys = segments.filter { held[$0.key] != nil }.map(\.key)
            #expect(heldKeys == segments.map(\.key).suffix(held.count))
            #expect((3_000_000...Int(SegmentWriter.heldBytes)).contains(held.values.reduce(0) { $0 + $1.readableBytes }))

            // They are asked for one after the other.
            let asked = Mutex(0)
            let server = try LoopbackServer { _ in
                let number = asked.withLock { count in
                    count += 1
                    return count - 1
                }
                return (200, segments.indices.contains(number) ? sample.store.bytes(segments[number].key) ?? [] : [])
            }
            let storage = TestBucket.client(try TestBucket.configuration("none", endpoint: server.url.absoluteString))
            let body = SegmentedBody(segments: segments, storage: storage, held: held)
            #expect(try await body.digest() == ContentDigest(of: Array(bytes.readableBytesView)))
            #expect(asked.withLock { $0 } == segments.count - held.count)
        }
    }

    @Test("an upload has 1,000 segments, or as many of 16 KiB as it has room for, and no more", arguments: [4 << 20, 100_000_000])
    func most(length: Int) async throws {
        try await Self.with(length: length) { sample in
            let most = PostgresUploadRepository.maximumSegments(of: Int64(length))
            #expect(most == max(1000, length / 16384))
            // As if all but one had come.
            let id = sample.upload.id.uuid
            _ = try await sample.uploads.database.query(
                """
                INSERT INTO upload_segments (upload_id, start_bytes, size_bytes, object_key)
                SELECT \(id), n, 1, 'incoming/' || \(id) || '/' || n FROM generate_series(0, \(most - 2)) AS n
                """)
            _ = try await sample.uploads.database.query("UPDATE uploads SET offset_bytes = \(most - 1) WHERE id = \(id)")
            func grow(_ start: Int) async throws -> Bool {
                try await sample.uploads.grow(sample.upload, from: Int64(start), by: 1, key: "incoming/\(sample.upload.id)/\(start)")
            }
            #expect(try await grow(most - 1))
            #expect(try await !grow(most))
        }
    }

    @Test("what waits longer than two seconds is stored", .timeLimit(.minutes(1)))
    func delay() async throws {
        try await Self.with { sample in
            let writer = sample.writer()
            try await writer.take(Self.bytes(10))
            try await eventually(within: .seconds(30), "the first bytes are stored") { try await sample.offset() == 10 }
            try await writer.take(Self.bytes(5, from: 10))
            try await writer.finish()
            #expect(try await sample.body() == Array(Self.bytes(15).readableBytesView))
        }
    }

    @Test("while the store is slow there are no more segments than one on its way and one that is filled", .timeLimit(.minutes(1)))
    func slowStore() async throws {
        try await Self.with { sample in
            let writer = SegmentWriter(sample.upload, uploads: sample.uploads, storage: sample.store, delay: .milliseconds(1))
            try await sample.uploads.database.withTransaction { connection in
                // No segment's row is inserted meanwhile.
                #expect(try await PostgresCaptureRepository.hold(sample.upload.id.uuid, on: connection))
                try await writer.take(Self.bytes(10))
                try await eventually("the first segment is on its way") { sample.store.keys.count == 1 }
                for piece in 1..<20 {
                    try await writer.take(Self.bytes(10, from: piece * 10))
                    try await Task.sleep(for: .milliseconds(5))
                }
            }
            try await writer.finish()
            #expect(try await sample.body() == Array(Self.bytes(200).readableBytesView))
            #expect(sample.store.keys.count == 2)
        }
    }

    @Test("more than the upload's length is refused, and not stored")
    func beyond() async throws {
        try await Self.with(length: 10) { sample in
            let writer = sample.writer()
            try await writer.take(Self.bytes(8))
            await #expect(throws: UploadError.inconsistentLength) { try await writer.take(Self.bytes(3)) }
            try await writer.finish()
            #expect(try await sample.offset() == 8)
        }
    }

    @Test("a request that was overtaken adds nothing, leaves no object, and learns the offset")
    func overtaken() async throws {
        try await Self.with { sample in
            let early = sample.writer(delay: .seconds(600))
            try await early.take(Self.bytes(20))
            let claimed = try #require(try await sample.uploads.claim(sample.upload.id, runner: nil))
            let late = SegmentWriter(claimed, uploads: sample.uploads, storage: sample.store, delay: .seconds(600))
            try await late.take(Self.bytes(10))
            try await late.finish()
            await #expect(throws: UploadError.offsetMismatch(expected: 10, provided: nil)) { try await early.finish() }
            await #expect(throws: UploadError.self) { try await early.take(Self.bytes(1)) }
            #expect(sample.store.keys == [UploadSegment.key(sample.upload.id, start: 0, epoch: 1)])
            #expect(try await sample.offset() == 10)
        }
    }

    @Test("after it was cancelled an upload takes nothing more")
    func cancelled() async throws {
        try await Self.with { sample in
            let writer = sample.writer(delay: .seconds(600))
            try await writer.take(Self.bytes(10))
            #expect(try await sample.uploads.end(sample.upload.id))
            await #expect(throws: UploadError.gone) { try await writer.finish() }
            #expect(sample.store.keys.isEmpty)
        }
    }

    @Test("what came is stored even if the request is cancelled")
    func requestCancelled() async throws {
        try await Self.with { sample in
            let writer = sample.writer()
            try await writer.take(Self.bytes(10))
            let ending = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await writer.finish()
            }
            try await ending.value
            #expect(try await sample.offset() == 10)
        }
    }
}
