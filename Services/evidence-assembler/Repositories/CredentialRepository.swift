import Foundation
import Models
import Persistence

/// What is known of the manifests that were made.
struct CredentialRepository {
    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    /// Names the signed copy and its manifest; in the transaction that makes the capture's evidence say so.
    func insert(_ capture: CaptureID, _ issued: IssuedCredentials) async throws {
        try await connection.query(
            """
            INSERT INTO content_credentials (capture_id, manifest_id, certificate_serial, issuer, signed_at, has_timestamp)
            VALUES (\(capture.uuid), \(issued.manifestID), \(issued.certificateSerial), \(issued.issuer), now(),
                \(issued.hasTimestamp))
            """)
        let objects = MediaObjectRepository(connection)
        try await objects.insert(capture, name: "c2pa.jpg", issued.copy)
        try await objects.insert(capture, name: "manifest.c2pa", issued.manifest)
    }

    /// Complete captures whose Content Credentials wait for a time stamp, longest waiting first.
    func waiting(limit: Int) async throws -> [CaptureID] {
        try await connection.query(
            """
            SELECT id FROM captures WHERE evidence #>> '{content_credentials,status}' = 'pending' ORDER BY completed_at LIMIT \(limit)
            """
        ).map { CaptureID(try $0.get("id", as: UUID.self)) }
    }

    /// The evidence, held until the transaction ends; `nil` if another instance holds it or it waits no more.
    func lockWaiting(_ capture: CaptureID) async throws -> (package: EvidencePackage, confidence: ConfidenceLevel, capturedAt: Date)? {
        let rows = try await connection.query(
            """
            SELECT evidence, confidence_level, captured_at FROM captures
            WHERE id = \(capture.uuid) AND evidence #>> '{content_credentials,status}' = 'pending' FOR UPDATE SKIP LOCKED
            """)
        guard let row = rows.first, let confidence = ConfidenceLevel(rawValue: try row.get("confidence_level")) else { return nil }
        return (try row.get("evidence", as: PostgresJSON.self).decode(EvidencePackage.self), confidence, try row.get("captured_at"))
    }

    func save(_ capture: CaptureID, _ package: EvidencePackage) async throws {
        try await connection.query(
            """
            UPDATE captures SET evidence = \(PostgresJSON(encoding: package)) WHERE id = \(capture.uuid)
            """)
    }
}
