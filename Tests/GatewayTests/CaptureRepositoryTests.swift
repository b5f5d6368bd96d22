import CaptureProtocol
import Delivery
import Foundation
import Models
import Persistence
import Testing

@testable import Gateway

@Suite("Recorded captures, in memory and in PostgreSQL")
struct CaptureRepositoryTests {
    @Test("a capture is inserted and announced together", arguments: Backend.available)
    func new(backend: Backend) async throws {
        try await backend.with { rig in
            let (id, device) = (CaptureID(), try await rig.insertDevice())
            guard case .new = try await rig.record(id, by: device) else {
                Issue.record("not a new capture")
                return
            }
            let intakes = try await rig.intakeIDs()
            #expect(intakes.isEmpty)
            #expect(try await rig.announced() == [id.description])
            let row = try #require(try await rig.captures.find(id))
            #expect(row.status == .processing && row.deviceID == device && ShortID.isValid(row.shortID))
            #expect(row.kind == .photo && row.uploadedAt == now)
            #expect(try await rig.captures.find(shortID: row.shortID)?.id == id)
            #expect(try await rig.captures.find(CaptureID()) == nil)
        }
    }

    @Test(
        "a capture is received at the database's time, whatever the gateway's clock says",
        .enabled(if: GatewayDatabase.isConfigured, GatewayDatabase.hint))
    func receipt() async throws {
        try await GatewayDatabase.with { pool in
            let (captures, device) = try await Self.prepare(pool)
            let id = CaptureID()
            try await PostgresIntakeRepository(database: pool).open(id, device: device)
            _ = try await captures.record(id, Self.submission(), device: device, begun: .now)
            // The record was announced in the same transaction.
            let rows = try await pool.query(
                """
                SELECT uploaded_at, announcement, date_trunc('milliseconds', gateway_outbox.created_at) AS began
                FROM captures, gateway_outbox
                """)
            let row = try #require(rows.first)
            let uploaded = try row.get("uploaded_at", as: Date.self)
            let announcement = try row.get("announcement", as: PostgresJSON.self).decode(CaptureAnnouncement.self)
            #expect(try uploaded == row.get("began", as: Date.self))
            #expect(abs(announcement.receivedAt.timeIntervalSince(uploaded)) < 0.0005)
        }
    }

    @Test(
        "nothing new is recorded at the database's time while that is more than a minute from the gateway's",
        arguments: Backend.available, [-180.0, -40, 0, 40, 180])
    func clocks(backend: Backend, ahead: Double) async throws {
        try await backend.with { rig in
            let (id, device) = (CaptureID(), try await rig.insertDevice())
            try await rig.intakes.open(id, device: device)
            let captures = rig.captures(databaseAhead: ahead)
            guard abs(ahead) > 60 else {
                _ = try await captures.record(id, Self.submission(), device: device, begun: .now)
                #expect(try await rig.captureIDs() == [id])
                return
            }
            await #expect(throws: CaptureError.clocksDiffer) {
                _ = try await captures.record(id, Self.submission(), device: device, begun: .now)
            }
            let (recorded, announced) = (try await rig.captureIDs(), try await rig.announced())
            #expect(recorded.isEmpty && announced.isEmpty)
            #expect(try await rig.intakeIDs() == [id])
            // What another gateway has recorded, or was received earlier, is not received now.
            _ = try await captures.record(id, Self.submission(), device: device, begun: .now, receivedAt: now)
            guard case .known(let known) = try await captures.record(CaptureID(), Self.submission(), device: device, begun: .now) else {
                Issue.record("recorded twice")
                return
            }
            #expect(known.id == id)
        }
    }

    @Test("the same upload again, also many at once, is one capture announced once", arguments: Backend.available)
    func same(backend: Backend) async throws {
        try await backend.with { rig in
            let device = try await rig.insertDevice()
            let ids = try await withThrowingTaskGroup(of: CaptureID.self) { group in
                for _ in 0..<12 {
                    group.addTask {
                        let id = CaptureID()
                        switch try await rig.record(id, by: device) {
                        case .new: return id
                        case .known(let known): return known.id
                        }
                    }
                }
                return try await group.reduce(into: Set<CaptureID>()) { $0.insert($1) }
            }
            #expect(ids.count == 1)
            #expect(try await rig.announced() == ids.map(\.description))
            // The intakes of the eleven others are deleted together with their objects.
            #expect(try await rig.intakeIDs().count == 11)
        }
    }

    @Test("nothing is recorded from an upload that was given up, or that has no intake", arguments: Backend.available)
    func abandoned(backend: Backend) async throws {
        try await backend.with { rig in
            let (id, device) = (CaptureID(), try await rig.insertDevice())
            try await rig.intakes.open(id, device: device)
            #expect(await rig.intakes.outcome(of: id) == .abandoned)
            for upload in [id, CaptureID()] {
                await #expect(throws: CaptureError.intakeExpired) {
                    _ = try await rig.captures.record(upload, Self.submission(), device: device, begun: .now, receivedAt: now)
                }
            }
            let recorded = try await rig.captureIDs()
            #expect(recorded.isEmpty)
        }
    }

    @Test("a failed capture that is sent again is found, and how it stands", arguments: Backend.available)
    func failed(backend: Backend) async throws {
        try await backend.with { rig in
            let (id, device) = (CaptureID(), try await rig.insertDevice())
            _ = try await rig.record(id, by: device)
            try await rig.fail(id)
            guard case .known(let known) = try await rig.record(CaptureID(), by: device) else {
                Issue.record("the failed capture was not found")
                return
            }
            #expect(known.id == id && known.status == .failed)
        }
    }

    @Test("another device's same upload is another capture", arguments: Backend.available)
    func otherDevice(backend: Backend) async throws {
        try await backend.with { rig in
            for _ in 0..<2 { _ = try await rig.record(CaptureID(), by: try await rig.insertDevice()) }
            #expect(try await rig.captureIDs().count == 2)
        }
    }

    @Test("what the services have found is read, and who gave up", arguments: Backend.available)
    func findings(backend: Backend) async throws {
        try await backend.with { rig in
            let (id, other, device) = (CaptureID(), CaptureID(), try await rig.insertDevice())
            _ = try await rig.record(id, by: device)
            try await rig.answer(.media, of: id, isGivenUp: false)
            try await rig.answer(.depth, of: id, isGivenUp: true)
            let parts = try await rig.captures.parts(of: id)
            #expect(parts.map(\.token) == ["media", "depth-error"] && parts.map(\.status) == [.pass, .unavailable])
            #expect(try await rig.captures.parts(of: other).isEmpty)
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
        for backend in Backend.available {
            try await backend.with { rig in
                let id = CaptureID()
                _ = try await rig.record(id, submission, by: try await rig.insertDevice())
                #expect(try await rig.captures.find(id)?.detection == submission.detection)
            }
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

    @Test(
        "a capture of the year 0, which PostgreSQL does not have, is refused; one of the year 1 can be read", arguments: Backend.available)
    func firstYears(backend: Backend) async throws {
        let refused = Self.refusal(of: try PhotoSubmissionTests.body(metadata: ["captured_at": "0000-12-31T23:59:59Z"]))
        #expect(refused?.code == .invalidMetadata && refused?.details.map(\.field) == ["captured_at"])
        let first = try PhotoSubmission(try PhotoSubmissionTests.body(metadata: ["captured_at": "0001-01-01T00:00:00Z"]))
        try await backend.with { rig in
            let id = CaptureID()
            _ = try await rig.record(id, first, by: try await rig.insertDevice())
            #expect(try await rig.captures.find(id)?.capturedAt == .exact(first.metadata.capturedAt))
        }
    }

    static func submission() throws -> PhotoSubmission { try PhotoSubmission(try PhotoSubmissionTests.body()) }

    /// Records a capture as the gateway does: its intake is opened first.
    static func record(
        _ id: CaptureID, _ submission: PhotoSubmission? = nil, on pool: PostgresPool, _ device: DeviceID
    ) async throws -> Recorded {
        try await PostgresIntakeRepository(database: pool).open(id, device: device)
        return try await PostgresCaptureRepository(database: pool, outbox: Outbox(.gateway)).record(
            id, submission ?? Self.submission(), device: device, begun: .now, receivedAt: now)
    }

    private static func prepare(_ pool: PostgresPool) async throws -> (PostgresCaptureRepository, DeviceID) {
        (PostgresCaptureRepository(database: pool, outbox: Outbox(.gateway)), try await insertDevice(pool))
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
}
