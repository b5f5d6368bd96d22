import Delivery
import CaptureProtocol
import Foundation
import Models
import Persistence

/// A row of `captures`; what was accepted is decoded when it is needed.
struct StoredCaptureRow: Sendable {
    let status: CaptureStatus
    private let announcement: PostgresJSON
    private let mediaHash: [UInt8]

    init(_ row: Row) throws {
        status = CaptureStatus(rawValue: try row.get("status")) ?? .processing
        announcement = try row.get("announcement")
        mediaHash = try row.get("media_sha256")
    }

    /// - Throws: ``RejectedMessage`` if this version cannot read it.
    func gathered(_ parts: EvidenceParts) throws -> GatheredCapture {
        guard let hash = ContentDigest(bytes: mediaHash) else { throw RejectedMessage(.captureUnreadable, detail: "media_sha256") }
        return GatheredCapture(announcement: try CaptureAnnouncement(stored: announcement), mediaHash: hash, parts: parts)
    }
}

/// The columns of `captures` that `evidence-assembler` writes, in one transaction.
struct CaptureTable {
    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    /// - Parameter isHeld: until the transaction ends.
    /// - Returns: `nil` if there is no such capture.
    func find(_ capture: CaptureID, isHeld: Bool = false) async throws -> StoredCaptureRow? {
        let lock: SQL = isHeld ? "FOR UPDATE" : ""
        return try await connection.query(
            "SELECT status, announcement, media_sha256 FROM captures WHERE id = \(capture.uuid) \(lock)"
        ).first.map { try StoredCaptureRow($0) }
    }

    /// Captures that have all their parts and were not completed when the last of them was found: they wait for the signer, longest first.
    /// The seconds are for those that are being completed now.
    func unsigned(limit: Int) async throws -> [CaptureID] {
        try await connection.query(
            """
            SELECT id FROM captures WHERE status = 'processing'
                AND (SELECT count(*) = 3 AND max(received_at) < now() - interval '5 seconds' FROM evidence_parts
                    WHERE capture_id = captures.id AND outcome = 'done')
            ORDER BY uploaded_at LIMIT \(limit)
            """
        ).map { CaptureID(try $0.get("id", as: UUID.self)) }
    }

    /// - Returns: false if the capture was complete already: `complete` is final.
    func complete(_ capture: CaptureID, _ package: EvidencePackage, _ confidence: ConfidenceLevel) async throws -> Bool {
        let rows = try await connection.query(
            """
            UPDATE captures SET status = 'complete', failure = NULL, evidence = \(PostgresJSON(encoding: package)),
                confidence_level = \(confidence.rawValue), completed_at = now()
            WHERE id = \(capture.uuid) AND status <> 'complete' RETURNING id
            """)
        return !rows.isEmpty
    }

    /// A failed capture that has all its parts now is in processing until it is complete.
    func resume(_ capture: CaptureID) async throws {
        try await connection.query(
            "UPDATE captures SET status = 'processing', failure = NULL WHERE id = \(capture.uuid) AND status = 'failed'")
    }

    /// - Returns: false if the capture is complete, or failed for the same reason before.
    func fail(_ capture: CaptureID, reason: String) async throws -> Bool {
        let rows = try await connection.query(
            """
            UPDATE captures SET status = 'failed', failure = \(reason)
            WHERE id = \(capture.uuid) AND status <> 'complete' AND failure IS DISTINCT FROM \(reason) RETURNING id
            """)
        return !rows.isEmpty
    }
}
