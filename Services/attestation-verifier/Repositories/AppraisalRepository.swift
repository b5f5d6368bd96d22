import Models
import Persistence

/// The appraisals of captures; the first one stands.
struct AppraisalRepository {
    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    func find(_ capture: CaptureID) async throws -> AttestationFindings? {
        let rows = try await connection.query("SELECT result FROM attestation_appraisals WHERE capture_id = \(capture.uuid)")
        return try rows.first?.get("result", as: PostgresJSON.self).decode(AttestationFindings.self)
    }

    /// - Returns: what is stored now: `findings`, or an earlier appraisal.
    func save(_ findings: AttestationFindings, for capture: CaptureID) async throws -> AttestationFindings {
        let rows = try await connection.query(
            """
            INSERT INTO attestation_appraisals (capture_id, result) VALUES (\(capture.uuid), \(PostgresJSON(encoding: findings)))
            ON CONFLICT (capture_id) DO NOTHING RETURNING capture_id
            """)
        if !rows.isEmpty { return findings }
        return try await find(capture) ?? findings
    }
}
