import CaptureProtocol
import Delivery
import Foundation
import Models
import Persistence

/// A row of `captures`. The announcement is decoded on demand.
struct StoredCaptureRow: Sendable {
    let status: CaptureStatus
    /// Absent of a withdrawn capture, like its announcement.
    private let mediaHash: [UInt8]?
    /// Whether operators revoked it with its device.
    private let isRevoked: Bool
    private let row: Row

    init(_ row: Row) throws {
        self.row = row
        status = try row.word("status")
        mediaHash = try row.getOptional("media_sha256")
        isRevoked = try row.get("is_revoked")
    }

    /// - Throws: ``RejectedMessage`` if this version cannot read it, or if its columns or the parts do not fit what was announced.
    func gathered(_ parts: EvidenceParts) throws -> GatheredCapture {
        guard let hash = mediaHash.flatMap({ ContentDigest(bytes: $0) }) else {
            throw RejectedMessage(.captureUnreadable, detail: "media_sha256")
        }
        guard let precision = try row.getOptional("captured_precision").flatMap(TimePrecision.init(rawValue:)),
            let capturedAt = SharedTime(column: try row.getOptional("captured_at"), precision: precision)
        else {
            throw RejectedMessage(.captureUnreadable, detail: "captured_at")
        }
        return try GatheredCapture(
            announcement: CaptureAnnouncement(row: row), mediaHash: hash, capturedAt: capturedAt, parts: parts, isRevoked: isRevoked)
    }
}

/// The columns of `captures` that `evidence-assembler` writes, in one transaction.
struct CaptureTable {
    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    /// - Parameter isHeld: whether to lock the row until the transaction ends.
    /// - Returns: `nil` if there is no such capture.
    nonisolated(nonsending) func find(_ capture: CaptureID, isHeld: Bool = false) async throws -> StoredCaptureRow? {
        // Lets the other services store parts meanwhile, which hold the row's key (rial_guard_withdrawn).
        let lock: SQL = isHeld ? "FOR NO KEY UPDATE" : ""
        return try await connection.query(
            """
            SELECT id, device_id, type, capture_mode, status, announcement, media_sha256, captured_at, captured_precision,
                \(StatementTable.revokedWithDevice) AS is_revoked
            FROM captures WHERE id = \(capture.uuid) \(lock)
            """
        ).first.map { try StoredCaptureRow($0) }
    }

    /// Whether a row is of a video that is stored, see ``CaptureKind/takesLongToAssemble``.
    static let isVideo: SQL = "(captures.type = 'video' AND captures.capture_mode = 'full')"

    /// Captures with all their parts that were not completed when the last part was received: they wait for the signer, or for room on
    /// disk. Longest waiting first. The five seconds, or three minutes of a video, exclude captures that an instance is completing now.
    nonisolated(nonsending) func unsigned(limit: Int) async throws -> WaitingCaptures {
        WaitingCaptures(
            others: try await unsigned("NOT \(Self.isVideo)", for: "interval '5 seconds'", limit: limit),
            videos: try await unsigned(Self.isVideo, for: "interval '3 minutes'", limit: limit))
    }

    private nonisolated(nonsending) func unsigned(_ condition: SQL, for pause: SQL, limit: Int) async throws -> [CaptureID] {
        try await connection.query(
            """
            SELECT id FROM captures WHERE status = 'processing' AND \(condition)
                AND (SELECT count(*) = 3 AND max(received_at) < now() - \(pause)
                    FROM evidence_parts WHERE capture_id = captures.id AND outcome = 'done')
            ORDER BY uploaded_at LIMIT \(limit)
            """
        ).map { CaptureID(try $0.get("id", as: UUID.self)) }
    }

    /// Completes the capture, with its first statement in the same transaction.
    /// - Returns: false if the capture was complete already, or withdrawn.
    nonisolated(nonsending) func complete(_ capture: CaptureID, _ package: EvidencePackage, _ confidence: ConfidenceLevel) async throws
        -> Bool
    {
        let rows = try await connection.query(
            """
            UPDATE captures SET status = 'complete', failure = NULL, evidence = \(PostgresJSON(encoding: package)),
                confidence_level = \(confidence.rawValue), completed_at = now(), stated_at = now()
            WHERE id = \(capture.uuid) AND status IN ('processing', 'failed') RETURNING id
            """)
        return !rows.isEmpty
    }

    /// Another verdict on a complete capture.
    nonisolated(nonsending) func replaceVerdict(of capture: CaptureID, _ package: EvidencePackage, _ confidence: ConfidenceLevel)
        async throws
    {
        try await connection.query(
            """
            UPDATE captures SET evidence = \(PostgresJSON(encoding: package)), confidence_level = \(confidence.rawValue)
            WHERE id = \(capture.uuid) AND status = 'complete'
            """)
    }

    /// Locks the row of a complete capture until the transaction ends.
    /// - Returns: `nil` if it is not complete. `isStated` if there is a statement about it.
    nonisolated(nonsending) func holdComplete(_ capture: CaptureID) async throws -> (isStated: Bool, confidence: ConfidenceLevel?)? {
        let rows = try await connection.query(
            """
            SELECT stated_at IS NOT NULL AS is_stated, confidence_level FROM captures
            WHERE id = \(capture.uuid) AND status = 'complete' FOR NO KEY UPDATE
            """)
        guard let row = rows.first else { return nil }
        return (try row.get("is_stated"), ConfidenceLevel(rawValue: try row.get("confidence_level")))
    }

    /// There is a statement about the capture now.
    nonisolated(nonsending) func noteStated(_ capture: CaptureID) async throws {
        try await connection.query("UPDATE captures SET stated_at = now() WHERE id = \(capture.uuid)")
    }

    /// Puts a failed capture that now has all its parts back into processing.
    nonisolated(nonsending) func resume(_ capture: CaptureID) async throws {
        try await connection.query(
            "UPDATE captures SET status = 'processing', failure = NULL WHERE id = \(capture.uuid) AND status = 'failed'")
    }

    /// - Returns: false if the capture is complete or withdrawn, or has already failed for the same reason.
    nonisolated(nonsending) func fail(_ capture: CaptureID, reason: String) async throws -> Bool {
        let rows = try await connection.query(
            """
            UPDATE captures SET status = 'failed', failure = \(reason)
            WHERE id = \(capture.uuid) AND status IN ('processing', 'failed') AND failure IS DISTINCT FROM \(reason) RETURNING id
            """)
        return !rows.isEmpty
    }
}
