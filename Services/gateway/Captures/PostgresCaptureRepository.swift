import CaptureProtocol
import Delivery
import Foundation
import Models
import Observability
import Persistence

/// The captures in `captures`; only the gateway inserts them.
struct PostgresCaptureRepository: CaptureRepository {
    let database: PostgresPool
    let outbox: Outbox
    /// The gateway's own clock.
    var now: @Sendable () -> Date = { Date() }

    func record(
        _ id: CaptureID, _ submission: any CaptureSubmitting, device: DeviceID, begun: ContinuousClock.Instant, receivedAt: Date?,
        provided condition: RecordingCondition?, sentAtOnce body: ContentDigest?
    ) async throws -> Recorded {
        let capture = submission.capture(id, device: device, receivedAt: receivedAt ?? .distantPast)
        let kind = capture.announcement.content.kind
        return try await database.withTransaction { connection in
            let gatewayTime = now()
            if let condition, try await !Self.hold(condition.openUpload, on: connection) { throw condition.refusal }
            // Uploads come before captures, as in a withdrawal. Their segments are deleted by the cleaner.
            if let body { try await connection.query(UploadEnding.statement(of: body, by: device)) }
            guard let databaseTime = try await insert(capture, receivedAt: receivedAt, on: connection) else {
                let known = try await find(sameAs: capture, on: connection)
                if !kind.mode.storesMedia, known.status == .failed {
                    try await outbox.append(kind.arrival(of: known.id), on: connection)
                }
                return .known(known)
            }
            if receivedAt == nil { try ReceiptClock.compare(databaseTime, with: gatewayTime) }
            if try await hasWithdrawn(device, since: begun, on: connection) { throw CaptureError.withdrawnMeanwhile }
            if kind.mode.storesMedia {
                guard try await PostgresIntakeRepository.take(id, on: connection) else { throw CaptureError.intakeExpired }
            }
            FailPoint.reached("gateway.capture.inserted")
            try await outbox.append(capture.announcement.arrival, on: connection)
            FailPoint.reached("gateway.capture.announced")
            if let condition {
                try await connection.query(UploadEnding.statement(condition.openUpload, became: condition.answer(id)))
                FailPoint.reached("gateway.upload.done")
            }
            return .new
        }
    }

    /// Keeps an upload as it is until the transaction ends.
    /// - Returns: false if it is not open any more.
    static nonisolated(nonsending) func hold(_ upload: UUID, on connection: PostgresConnection) async throws -> Bool {
        try await !connection.query("SELECT id FROM uploads WHERE id = \(upload) AND state = 'open' FOR UPDATE").isEmpty
    }

    /// - Parameter receivedAt: `nil` for the database's time, by which other times are judged: a gateway's own clock may be off.
    /// - Returns: when the transaction began, by the database's clock; `nil` if the device has sent the same before.
    private nonisolated(nonsending) func insert(_ capture: NewCapture, receivedAt: Date?, on connection: PostgresConnection) async throws
        -> Date?
    {
        let kind = capture.announcement.content.kind
        let received: SQL = "coalesce(\(receivedAt), date_trunc('milliseconds', now()))"
        return try await connection.query(
            """
            INSERT INTO captures (id, short_id, device_id, type, capture_mode, media_sha256, depth_sha256, assertion_sha256,
                captured_at, captured_precision, metadata_flags, uploaded_at, announcement, detection, location)
            VALUES (\(capture.announcement.captureID.uuid), \(ShortID.random()), \(capture.announcement.deviceID.uuid),
                \(kind.type.rawValue), \(kind.mode.rawValue), \(capture.mediaHash.bytes), \(capture.depthHash?.bytes),
                \(capture.assertionHash?.bytes), \(capture.capturedAt.date), \(capture.capturedAt.precision.rawValue),
                \(try capture.flags.map { try PostgresJSON(encoding: $0) }), \(received),
                \(PostgresJSON(encoding: capture.announcement)) || jsonb_build_object('received_at',
                    to_char(\(received) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
                \(try capture.detection.map(PostgresJSON.init(encoding:))), \(try capture.location.map { try PostgresJSON(encoding: $0) }))
            ON CONFLICT ON CONSTRAINT captures_same_upload DO NOTHING RETURNING now() AS began
            """
        ).first?.get("began", as: Date.self)
    }

    /// Asks after the insert, in a statement of its own: the insert waits for a withdrawal of the same upload, and only a later statement
    /// sees that. A withdrawn capture has no digests, so the index of `captures_same_upload` finds it.
    private nonisolated(nonsending) func hasWithdrawn(
        _ device: DeviceID, since begun: ContinuousClock.Instant, on connection: PostgresConnection
    ) async throws -> Bool {
        try await !connection.query(
            """
            SELECT id FROM captures
            WHERE device_id = \(device.uuid) AND media_sha256 IS NULL AND depth_sha256 IS NULL AND assertion_sha256 IS NULL
                AND withdrawn_at > now() - \(WithdrawalWindow.seconds(since: begun))::float8 * interval '1 second'
            LIMIT 1
            """
        ).isEmpty
    }

    /// - Throws: ``CaptureError/beingRecorded`` if another request is still inserting it.
    private nonisolated(nonsending) func find(sameAs capture: NewCapture, on connection: PostgresConnection) async throws -> KnownCapture {
        let known = try await connection.query(
            """
            SELECT id, status FROM captures
            WHERE device_id = \(capture.announcement.deviceID.uuid) AND media_sha256 = \(capture.mediaHash.bytes)
                AND depth_sha256 IS NOT DISTINCT FROM \(capture.depthHash?.bytes)
                AND assertion_sha256 IS NOT DISTINCT FROM \(capture.assertionHash?.bytes)
            """)
        guard let row = known.first else { throw CaptureError.beingRecorded }
        return KnownCapture(id: CaptureID(try row.get("id", as: UUID.self)), status: try row.word("status"))
    }

    func find(_ id: CaptureID) async throws -> CaptureRow? {
        let rows = try await database.query(Self.columns + "WHERE captures.id = \(id.uuid)")
        return try rows.first.map(CaptureRow.init)
    }

    func find(shortID: String) async throws -> CaptureRow? {
        let rows = try await database.query(Self.columns + "WHERE captures.short_id = \(shortID)")
        return try rows.first.map(CaptureRow.init)
    }

    func parts(of id: CaptureID) async throws -> [PartRow] {
        try await database.query(
            """
            SELECT part, outcome, result,
                (announcement ->> 'depth_width')::int AS depth_width, (announcement ->> 'depth_height')::int AS depth_height
            FROM evidence_parts JOIN captures ON captures.id = capture_id WHERE capture_id = \(id.uuid) ORDER BY received_at, part
            """
        ).compactMap(PartRow.init)
    }

    /// The columns that ``CaptureRow`` reads.
    static let fields: SQL = """
        captures.id, short_id, device_id, type, capture_mode, captures.status, failure, confidence_level, media_sha256, captured_at,
        captured_precision, metadata_flags, uploaded_at, captures.completed_at, withdrawn_at, evidence, location, detection,
        (SELECT coalesce(array_agg(name), '{}') FROM media_objects WHERE media_objects.capture_id = captures.id) AS media_names,
        (SELECT json_build_object('width', width, 'height', height) FROM media_objects
            WHERE media_objects.capture_id = captures.id AND name = \(MediaName.depthFrames.rawValue) AND width IS NOT NULL
        ) AS depth_frames_size,
        \(isRevoked) AS is_revoked
        """
    /// Whether the last statement about a row of `captures` takes its verdict back.
    static let isRevoked: SQL = """
        coalesce((SELECT kind = 'revocation' FROM statements
            WHERE statements.capture_id = captures.id ORDER BY sequence DESC LIMIT 1), false)
        """
    private static let columns: SQL = "SELECT \(fields) FROM captures "
}
