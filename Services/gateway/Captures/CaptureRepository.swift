import CaptureProtocol
import Crypto
import Delivery
import Foundation
import Models
import Observability
import Persistence

/// The result of recording a capture.
enum Recorded: Sendable {
    case new
    /// The device has already sent the same photo, depth and assertion.
    case known(KnownCapture)
}

/// The existing capture of a repeated upload.
struct KnownCapture: Sendable {
    let id: CaptureID
    let status: CaptureStatus
}

/// The captures; only the gateway inserts them.
struct CaptureRepository: Sendable {
    let database: PostgresPool
    let outbox: Outbox

    /// Inserts and announces the capture and takes over its intake in one transaction, or finds the existing capture of the same upload.
    ///
    /// After an error the capture may still have been recorded: ask ``IntakeRepository/outcome(of:)``.
    func record(_ id: CaptureID, _ submission: CaptureSubmission, device: DeviceID, receivedAt: Date) async throws -> Recorded {
        let announcement = CaptureAnnouncement(
            captureID: id, deviceID: device, content: .photo(submission.content), metadata: submission.metadataBytes,
            assertion: submission.assertion, receivedAt: receivedAt)
        let assertionDigest = submission.assertion.map { Array(SHA256.hash(data: $0)) }
        let location = try submission.metadata.location.map { try PostgresJSON(encoding: $0) }
        return try await database.withTransaction { connection in
            let rows = try await connection.query(
                """
                INSERT INTO captures (id, short_id, device_id, type, capture_mode, media_sha256, depth_sha256, assertion_sha256,
                    captured_at, uploaded_at, announcement, detection, location)
                VALUES (\(id.uuid), \(ShortID.random()), \(device.uuid), \(announcement.content.kind.type.rawValue),
                    \(announcement.content.kind.mode.rawValue), \(submission.content.photo.sha256.bytes),
                    \(submission.content.depth.sha256.bytes), \(assertionDigest), \(submission.metadata.capturedAt), \(receivedAt),
                    \(PostgresJSON(encoding: announcement)), \(try submission.detection.map(PostgresJSON.init(encoding:))), \(location))
                ON CONFLICT ON CONSTRAINT captures_same_upload DO NOTHING RETURNING id
                """)
            if !rows.isEmpty {
                guard try await IntakeRepository.take(id, on: connection) else {
                    throw CaptureError.intakeExpired
                }
                FailPoint.reached("gateway.capture.inserted")
                try await outbox.append(CaptureReceived(announcement), on: connection)
                FailPoint.reached("gateway.capture.announced")
                return .new
            }
            let known = try await connection.query(
                """
                SELECT id, status FROM captures
                WHERE device_id = \(device.uuid) AND media_sha256 = \(submission.content.photo.sha256.bytes)
                    AND depth_sha256 = \(submission.content.depth.sha256.bytes) AND assertion_sha256 IS NOT DISTINCT FROM \(assertionDigest)
                """)
            guard let row = known.first, let status = CaptureStatus(rawValue: try row.get("status")) else {
                throw CaptureError.beingRecorded
            }
            return .known(KnownCapture(id: CaptureID(try row.get("id", as: UUID.self)), status: status))
        }
    }

    func find(_ id: CaptureID) async throws -> CaptureRow? {
        let rows = try await database.query(Self.columns + "WHERE captures.id = \(id.uuid)")
        return try rows.first.map(CaptureRow.init)
    }

    func find(shortID: String) async throws -> CaptureRow? {
        let rows = try await database.query(Self.columns + "WHERE captures.short_id = \(shortID)")
        return try rows.first.map(CaptureRow.init)
    }

    /// Each service's findings so far, oldest first.
    func parts(of id: CaptureID) async throws -> [PartRow] {
        try await database.query(
            """
            SELECT part, outcome, result FROM evidence_parts WHERE capture_id = \(id.uuid) ORDER BY received_at, part
            """
        ).compactMap(PartRow.init)
    }

    /// The columns that ``CaptureRow`` reads.
    static let fields: SQL = """
        captures.id, short_id, device_id, type, capture_mode, captures.status, failure, confidence_level, media_sha256, captured_at,
        uploaded_at, evidence, location, detection,
        (SELECT coalesce(array_agg(name), '{}') FROM media_objects WHERE media_objects.capture_id = captures.id) AS media_names
        """
    private static let columns: SQL = "SELECT \(fields) FROM captures "
}
