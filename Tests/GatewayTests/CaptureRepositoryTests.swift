import Models
import CaptureProtocol
import Delivery
import Foundation
import Persistence
import Synchronization
import Testing

@testable import Gateway

@Suite("Recorded captures", .enabled(if: GatewayDatabase.isConfigured, GatewayDatabase.hint))
struct CaptureRepositoryTests {
    @Test("a capture is inserted and announced together")
    func new() async throws {
        try await GatewayDatabase.with { pool in
            let (captures, device) = try await Self.prepare(pool)
            let id = CaptureID()
            guard case .new = try await Self.record(id, on: pool, device) else {
                Issue.record("not a new capture")
                return
            }
            #expect(try await pool.query("SELECT id FROM intakes").isEmpty)
            #expect(try await Self.announced(pool) == [id.description])
            let row = try #require(try await captures.find(id))
            #expect(row.status == .processing && row.deviceID == device && ShortID.isValid(row.shortID))
            #expect(try await captures.find(shortID: row.shortID)?.id == id)
        }
    }

    @Test("a capture is received at the database's time, whatever the gateway's clock says")
    func receipt() async throws {
        try await GatewayDatabase.with { pool in
            let (captures, device) = try await Self.prepare(pool)
            let id = CaptureID()
            try await IntakeRepository(database: pool).open(id, device: device)
            let begin = Mutex(Date.distantPast)
            _ = try await captures.record(id, Self.submission(), device: device) { connection in
                let row = try #require(try await connection.query("SELECT date_trunc('milliseconds', now()) AS time").first)
                let time = try row.get("time", as: Date.self)
                begin.withLock { $0 = time }
            }
            let rows = try await pool.query("SELECT uploaded_at, announcement FROM captures")
            let row = try #require(rows.first)
            let uploaded = try row.get("uploaded_at", as: Date.self)
            let announcement = try row.get("announcement", as: PostgresJSON.self).decode(CaptureAnnouncement.self)
            let began = begin.withLock { $0 }
            #expect(uploaded == began)
            #expect(abs(announcement.receivedAt.timeIntervalSince(uploaded)) < 0.0005)
        }
    }

    @Test("the same upload again, also many at once, is one capture announced once")
    func same() async throws {
        try await GatewayDatabase.with { pool in
            let (_, device) = try await Self.prepare(pool)
            let ids = try await withThrowingTaskGroup(of: CaptureID.self) { group in
                for _ in 0..<12 {
                    group.addTask {
                        let id = CaptureID()
                        switch try await Self.record(id, on: pool, device) {
                        case .new: return id
                        case .known(let known): return known.id
                        }
                    }
                }
                return try await group.reduce(into: Set<CaptureID>()) { $0.insert($1) }
            }
            #expect(ids.count == 1)
            #expect(try await Self.announced(pool) == ids.map(\.description))
            // The intakes of the eleven others are deleted together with their objects.
            #expect(try await pool.query("SELECT id FROM intakes").count == 11)
        }
    }

    @Test("nothing is recorded from an upload that was given up")
    func abandoned() async throws {
        try await GatewayDatabase.with { pool in
            let (captures, device) = try await Self.prepare(pool)
            let id = CaptureID()
            try await IntakeRepository(database: pool).open(id, device: device)
            #expect(await IntakeRepository(database: pool).outcome(of: id) == .abandoned)
            await #expect(throws: CaptureError.self) {
                _ = try await captures.record(id, Self.submission(), device: device, receivedAt: now)
            }
            #expect(try await pool.query("SELECT id FROM captures").isEmpty)
        }
    }

    @Test("nothing is recorded from an upload that was cancelled before its end")
    func cancelledUpload() async throws {
        try await GatewayDatabase.with { pool in
            let (captures, device) = try await Self.prepare(pool)
            let uploads = UploadRepository(database: pool)
            let cancelled = try await UploadRepositoryTests.new(uploads, device)
            let open = try await UploadRepositoryTests.new(uploads, device, [2])
            let (first, second) = (CaptureID(), CaptureID())
            for id in [first, second] { try await IntakeRepository(database: pool).open(id, device: device) }
            #expect(try await uploads.end(cancelled.id))
            await #expect(throws: UploadError.gone) {
                _ = try await captures.record(
                    first, Self.submission(), device: device, receivedAt: now, provided: UploadRepository.isOpen(cancelled.id))
            }
            #expect(try await pool.query("SELECT id FROM captures").isEmpty)
            guard
                case .new = try await captures.record(
                    second, Self.submission(), device: device, receivedAt: now, provided: UploadRepository.isOpen(open.id))
            else {
                Issue.record("not a new capture")
                return
            }
        }
    }

    @Test("a failed capture that is sent again is found, and how it stands")
    func failed() async throws {
        try await GatewayDatabase.with { pool in
            let (_, device) = try await Self.prepare(pool)
            let id = CaptureID()
            _ = try await Self.record(id, on: pool, device)
            _ = try await pool.query("UPDATE captures SET status = 'failed', failure = 'x'")
            guard case .known(let known) = try await Self.record(CaptureID(), on: pool, device) else {
                Issue.record("the failed capture was not found")
                return
            }
            #expect(known.id == id && known.status == .failed)
        }
    }

    @Test("another device's same upload is another capture")
    func otherDevice() async throws {
        try await GatewayDatabase.with { pool in
            let (_, device) = try await Self.prepare(pool)
            let other = try await Self.insertDevice(pool)
            _ = try await Self.record(CaptureID(), on: pool, device)
            _ = try await Self.record(CaptureID(), on: pool, other)
            #expect(try await pool.query("SELECT id FROM captures").count == 2)
        }
    }

    @Test(
        "what passes the checks can be recorded and read again, and what could not be does not pass them",
        arguments: [
            (#"{"a":"\u0000"}"#, false), (#"{"a":"\ud800"}"#, true), (#"{"a":1e200000}"#, false),
            // PostgreSQL would write these longer than 64 KiB.
            (list(of: "1e300", count: 300), false), (list(of: "-1e-300", count: 300), false),
            (list(of: "1e20", count: 12_000), true), (list(of: "1e-20", count: 10_000), true), (list(of: "1", count: 32_000), true),
        ])
    func oddDetection(text: String, isAccepted: Bool) async throws {
        var body = try PhotoSubmissionTests.body()
        body.small.collect(Array(text.utf8), of: .detection)
        guard isAccepted else {
            let refused = Self.refusal(of: body)
            #expect(refused?.code == .validationError && refused?.details.map(\.field) == ["detection"])
            return
        }
        let submission = try PhotoSubmission(body)
        #expect(submission.detection != nil)
        try await GatewayDatabase.with { pool in
            let (captures, device) = try await Self.prepare(pool)
            let id = CaptureID()
            _ = try await Self.record(id, submission, on: pool, device)
            #expect(try await captures.find(id)?.detection == submission.detection)
        }
    }

    private static func refusal(of body: PhotoParts.Received) -> APIError? {
        do {
            _ = try PhotoSubmission(body)
            return nil
        } catch {
            return APIError(refusal: error)
        }
    }

    private static func list(of number: String, count: Int) -> String {
        #"{"a":["# + Array(repeating: number, count: count).joined(separator: ",") + "]}"
    }

    @Test("a capture of the year 0, which PostgreSQL does not have, is refused; one of the year 1 can be read")
    func firstYears() async throws {
        let refused = Self.refusal(of: try PhotoSubmissionTests.body(metadata: ["captured_at": "0000-12-31T23:59:59Z"]))
        #expect(refused?.code == .invalidMetadata && refused?.details.map(\.field) == ["captured_at"])
        let first = try PhotoSubmission(try PhotoSubmissionTests.body(metadata: ["captured_at": "0001-01-01T00:00:00Z"]))
        try await GatewayDatabase.with { pool in
            let (captures, device) = try await Self.prepare(pool)
            let id = CaptureID()
            _ = try await Self.record(id, first, on: pool, device)
            #expect(try await captures.find(id)?.capturedAt == .exact(first.metadata.capturedAt))
        }
    }

    static func submission() throws -> PhotoSubmission { try PhotoSubmission(try PhotoSubmissionTests.body()) }

    /// Records a capture as the gateway does: its intake is opened first.
    static func record(
        _ id: CaptureID, _ submission: PhotoSubmission? = nil, on pool: PostgresPool, _ device: DeviceID
    ) async throws -> Recorded {
        try await IntakeRepository(database: pool).open(id, device: device)
        return try await CaptureRepository(database: pool, outbox: Outbox(.gateway)).record(
            id, submission ?? Self.submission(), device: device, receivedAt: now)
    }

    private static func prepare(_ pool: PostgresPool) async throws -> (CaptureRepository, DeviceID) {
        (CaptureRepository(database: pool, outbox: Outbox(.gateway)), try await insertDevice(pool))
    }

    static func insertDevice(_ pool: PostgresPool) async throws -> DeviceID {
        let id = DeviceID()
        _ = try await pool.query(
            """
            INSERT INTO devices (id, platform, model, has_lidar, attestation_level, attestation_failure, key_id, request_key_algorithm,
                request_key, attestation_object, registered_at)
            VALUES (\(id.uuid), 'ios', 'iPhone 15 Pro', true, 'unverified', 'x', \([UInt8](repeating: 1, count: 32)), 'ed25519',
                \([UInt8](repeating: 2, count: 32)), \([UInt8]([1])), now())
            """)
        return id
    }

    private static func announced(_ pool: PostgresPool) async throws -> [String] {
        try await pool.query("SELECT record_key FROM gateway_outbox ORDER BY id").map { try $0.get("record_key") }
    }
}
