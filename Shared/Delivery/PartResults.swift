public import CaptureProtocol
import Foundation
public import Models
public import Persistence

/// A service's stored result for each capture: findings, or the reason of a failure. PostgreSQL is authoritative (SPEC §1): a consumer of a
/// part's event reads the result here.
public struct PartResults<Part: PartEvent>: Sendable {
    /// Whether to replace stored findings, as long as the capture is not complete.
    let replacesFindings: Bool

    public init() { self.init(replacesFindings: false) }

    init(replacesFindings: Bool) { self.replacesFindings = replacesFindings }

    /// - Returns: `nil` if there is no such capture.
    /// - Throws: ``WithdrawnCapture`` if it was withdrawn.
    nonisolated(nonsending) func find(_ capture: CaptureID, on connection: PostgresConnection) async throws -> KnownPart<Part>? {
        let rows = try await connection.query(
            """
            SELECT captures.id, device_id, type, capture_mode, announcement, status, withdrawn_at, part.result FROM captures
            LEFT JOIN \(unescaped: Part.part.table) AS part ON part.capture_id = captures.id WHERE captures.id = \(capture.uuid)
            """)
        guard let row = rows.first else { return nil }
        if let time = try row.getOptional("withdrawn_at", as: Date.self) { throw WithdrawnCapture(withdrawnAt: time) }
        guard let status = CaptureStatus(rawValue: try row.get("status")) else {
            throw RejectedMessage(.captureUnreadable, detail: "status")
        }
        return KnownPart(
            announcement: try CaptureAnnouncement(row: row), status: status,
            stored: try row.getOptional("result", as: PostgresJSON.self)?.decode(Part.Findings.self))
    }

    /// Saves the findings unless there are others that they do not replace; the first findings stand. A stored failure is always replaced.
    /// - Returns: the stored findings.
    @discardableResult
    public nonisolated(nonsending) func save(_ findings: Part.Findings, for capture: CaptureID, on connection: PostgresConnection)
        async throws -> Part.Findings
    {
        let part = Part.part
        let rows = try await connection.query(
            """
            INSERT INTO \(unescaped: part.table) AS part (capture_id, result, \(unescaped: part.timeColumn))
            VALUES (\(capture.uuid), \(PostgresJSON(encoding: findings)), now())
            ON CONFLICT (capture_id) DO UPDATE SET result = EXCLUDED.result, failure = NULL,
                \(unescaped: part.timeColumn) = EXCLUDED.\(unescaped: part.timeColumn)
            WHERE part.result IS NULL
                OR \(replacesFindings) AND EXISTS (SELECT FROM captures WHERE id = part.capture_id AND status <> 'complete')
            RETURNING capture_id
            """)
        guard rows.isEmpty else { return findings }
        let known = try await connection.query(
            "SELECT result FROM \(unescaped: part.table) WHERE capture_id = \(capture.uuid)")
        return try known.first?.get("result", as: PostgresJSON.self).decode(Part.Findings.self) ?? findings
    }

    /// Stores a failure unless there are findings.
    /// - Returns: false if there are findings or no such capture: then nothing must be announced.
    /// - Throws: `PostgresError`.
    public nonisolated(nonsending) func fail(_ capture: CaptureID, reason: FailureReason, on connection: PostgresConnection) async throws
        -> Bool
    {
        let part = Part.part
        let rows = try await connection.query(
            """
            INSERT INTO \(unescaped: part.table) AS part (capture_id, failure, \(unescaped: part.timeColumn))
            SELECT id, \(reason.rawValue), now() FROM captures WHERE id = \(capture.uuid)
            ON CONFLICT (capture_id) DO UPDATE SET failure = EXCLUDED.failure,
                \(unescaped: part.timeColumn) = EXCLUDED.\(unescaped: part.timeColumn)
            WHERE part.result IS NULL RETURNING capture_id
            """)
        return !rows.isEmpty
    }
}

extension EvidencePart {
    /// The table of the service's results, with `capture_id`, `result`, `failure` and ``timeColumn``.
    public var table: String {
        switch self {
        case .attestation: "attestation_appraisals"
        case .depth: "depth_analyses"
        case .media: "sync_jobs"
        }
    }

    var timeColumn: String {
        switch self {
        case .attestation: "appraised_at"
        case .depth: "analyzed_at"
        case .media: "synced_at"
        }
    }
}

extension CaptureAnnouncement {
    /// Decodes the announcement in a capture's row.
    /// - Throws: ``RejectedMessage`` if this version cannot decode it.
    public init(stored json: PostgresJSON) throws {
        do {
            self = try json.decode(CaptureAnnouncement.self)
        } catch {
            throw RejectedMessage(.captureUnreadable, detail: "\(error)")
        }
    }

    /// Decodes the announcement in a capture's row and compares it with the columns that say the same, since some read these and some the
    /// announcement, and all must speak of the same capture.
    /// - Parameter row: with `id`, `device_id`, `type`, `capture_mode` and `announcement`.
    /// - Throws: ``RejectedMessage`` if this version cannot decode it, or if the columns say otherwise.
    public init(row: Row) throws {
        try self.init(stored: row.get("announcement"))
        guard try row.get("id") == captureID.uuid, try row.get("device_id") == deviceID.uuid,
            try row.get("type") == content.kind.type.rawValue, try row.get("capture_mode") == content.kind.mode.rawValue
        else { throw RejectedMessage(.captureUnreadable, detail: "its columns are not those of what was announced") }
    }
}
