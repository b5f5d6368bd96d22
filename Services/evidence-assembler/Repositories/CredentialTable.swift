import CaptureProtocol
import Delivery
import Foundation
import Models
import Persistence

/// The issued manifests and the captures that wait for theirs, in one transaction.
struct CredentialTable {
    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    /// Runs in the transaction that records the signed copy and its manifest and updates the capture's evidence.
    nonisolated(nonsending) func insert(_ capture: CaptureID, _ issued: IssuedCredentials) async throws {
        try await connection.query(
            """
            INSERT INTO content_credentials
                (capture_id, manifest_id, certificate_serial, issuer, signed_at, has_timestamp, leaf_sha256, manifest_sha256)
            VALUES (\(capture.uuid), \(issued.manifestID), \(issued.certificateSerial), \(issued.issuer), now(),
                \(issued.hasTimestamp), \(issued.leafDigest.bytes), \(issued.manifest.sha256.bytes))
            """)
    }

    /// A capture whose Content Credentials are due, and whose verdict was not taken back.
    private static let isWaiting: SQL = """
        evidence #>> '{content_credentials,status}' = 'pending'
            AND (SELECT kind FROM statements WHERE capture_id = captures.id ORDER BY sequence DESC LIMIT 1) IS DISTINCT FROM 'revocation'
            AND NOT \(StatementTable.revokedWithDevice)
        """

    /// Complete captures whose Content Credentials wait for a time stamp, longest waiting first.
    nonisolated(nonsending) func waiting(limit: Int) async throws -> WaitingCaptures {
        WaitingCaptures(
            others: try await waiting("NOT \(CaptureTable.isVideo)", limit: limit),
            videos: try await waiting(CaptureTable.isVideo, limit: limit))
    }

    private nonisolated(nonsending) func waiting(_ condition: SQL, limit: Int) async throws -> [CaptureID] {
        try await connection.query(
            "SELECT id FROM captures WHERE \(Self.isWaiting) AND \(condition) ORDER BY completed_at LIMIT \(limit)"
        ).map { CaptureID(try $0.get("id", as: UUID.self)) }
    }

    /// The evidence of a waiting capture; `nil` if it does not wait. It may have been revoked just before its row was locked.
    /// - Parameter isHeld: whether to lock the row until the transaction ends; the result is then also `nil` if another instance has locked
    ///   it.
    /// - Returns: without the announcement if this version cannot read that, or if the row's columns do not fit it.
    nonisolated(nonsending) func findWaiting(
        _ capture: CaptureID, isHeld: Bool = false
    ) async throws -> (package: EvidencePackage, confidence: ConfidenceLevel, announcement: CaptureAnnouncement?)? {
        let lock: SQL = isHeld ? "FOR NO KEY UPDATE SKIP LOCKED" : ""
        let rows = try await connection.query(
            """
            SELECT id, device_id, type, capture_mode, announcement, evidence, confidence_level FROM captures
            WHERE id = \(capture.uuid) AND \(Self.isWaiting) \(lock)
            """)
        guard let row = rows.first, let confidence = ConfidenceLevel(rawValue: try row.get("confidence_level")) else { return nil }
        return (try row.get("evidence", as: PostgresJSON.self).decode(EvidencePackage.self), confidence, try? CaptureAnnouncement(row: row))
    }

    /// Credentials without digests, from earlier versions, with their stored manifests, ordered by capture id.
    nonisolated(nonsending) func withoutDigests(after last: CaptureID?, limit: Int) async throws -> [UndigestedCredentials] {
        try await connection.query(
            """
            SELECT content_credentials.capture_id, manifest_id, certificate_serial, object_key, sha256, size_bytes, content_type
            FROM content_credentials LEFT JOIN media_objects
                ON media_objects.capture_id = content_credentials.capture_id AND media_objects.name = \(MediaName.manifest.rawValue)
            WHERE manifest_sha256 IS NULL AND content_credentials.capture_id > \(last?.uuid ?? UUID.least)
            ORDER BY content_credentials.capture_id LIMIT \(limit)
            """
        ).map { try UndigestedCredentials($0) }
    }

    nonisolated(nonsending) func countWithoutDigests() async throws -> Int64 {
        let rows = try await connection.query("SELECT count(*) AS missing FROM content_credentials WHERE manifest_sha256 IS NULL")
        return try rows.first?.get("missing", as: Int64.self) ?? 0
    }

    /// Saves the first digests; later ones change nothing.
    nonisolated(nonsending) func save(_ capture: CaptureID, leaf: ContentDigest, manifest: ContentDigest) async throws {
        try await connection.query(
            """
            UPDATE content_credentials SET leaf_sha256 = \(leaf.bytes), manifest_sha256 = \(manifest.bytes)
            WHERE capture_id = \(capture.uuid) AND manifest_sha256 IS NULL
            """)
    }

    nonisolated(nonsending) func save(_ capture: CaptureID, _ package: EvidencePackage) async throws {
        try await connection.query(
            """
            UPDATE captures SET evidence = \(PostgresJSON(encoding: package)) WHERE id = \(capture.uuid)
            """)
    }
}

extension UndigestedCredentials {
    fileprivate init(_ row: Row) throws {
        self.init(
            capture: CaptureID(try row.get("capture_id", as: UUID.self)), manifestID: try row.get("manifest_id"),
            certificateSerial: try row.get("certificate_serial"), manifest: try row.storedMedia())
    }
}
