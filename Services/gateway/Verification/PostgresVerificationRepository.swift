import CaptureProtocol
import Delivery
import Foundation
import ManifestStore
import Metrics
import Models
import Persistence

/// The files in `captures`, `media_objects` and `content_credentials`; the lookups in `verification_logs`.
struct PostgresVerificationRepository: VerificationRepository {
    let database: PostgresPool

    func claims(of digest: ContentDigest) async throws -> [Claim] {
        try await claims(
            matching: """
                SELECT id AS capture_id, \(MediaRole.original.rawValue) AS matched FROM captures WHERE media_sha256 = \(digest.bytes)
                UNION
                SELECT capture_id, name FROM media_objects
                WHERE sha256 = \(digest.bytes) AND name = ANY(\(MediaName.published.map(\.rawValue)))
                """)
    }

    /// Captures of versions that did not record digests are found once `evidence-assembler` has computed them.
    func claims(of store: StoreIdentity) async throws -> [Claim] {
        try await claims(
            matching: """
                SELECT capture_id, \(MediaRole.signedCopy.rawValue) AS matched FROM content_credentials
                WHERE manifest_id = \(store.label) AND manifest_sha256 = \(store.digest.bytes)
                    AND leaf_sha256 = \(store.leafDigest.bytes)
                """)
    }

    private static func role(_ matched: String) -> MediaRole? { MediaRole(rawValue: matched) ?? MediaName(rawValue: matched)?.role }

    /// - Parameter found: ids of captures, each with `matched`: the role of the file, or its name among the published objects.
    private func claims(matching found: SQL) async throws -> [Claim] {
        let rows = try await database.query(
            "WITH found AS (" + found + """
                )
                SELECT DISTINCT ON (rank, received, captures.id) found.matched, \(PostgresCaptureRepository.fields)
                FROM found JOIN captures ON captures.id = found.capture_id
                CROSS JOIN LATERAL (SELECT CASE capture_mode WHEN 'full' THEN 0 ELSE 100 END
                    + CASE confidence_level WHEN 'high' THEN 0 WHEN 'medium' THEN 10 WHEN 'low' THEN 20 ELSE 30 END
                    + CASE evidence #>> '{hardware_attestation,development_attestation}' WHEN 'true' THEN 1 ELSE 0 END
                    + CASE WHEN \(PostgresCaptureRepository.isRevoked) THEN 1000 ELSE 0 END AS rank,
                    -- No more exact than it is public: the order must not tell it.
                    CASE captured_precision WHEN 'exact' THEN captures.uploaded_at
                        ELSE date_trunc('day', captures.uploaded_at, 'UTC') END AS received) AS ranked
                WHERE captures.status = 'complete'
                ORDER BY rank, received, captures.id, found.matched = \(MediaRole.original.rawValue) DESC, found.matched
                LIMIT \(maximumClaims)
                """)
        // A capture that cannot be read must not hide the others, which may be of other devices.
        var failure: (any Error)?
        let claims = rows.compactMap { row -> Claim? in
            do {
                guard let matched = Self.role(try row.get("matched")) else { return nil }
                return Claim(matched: matched, row: try CaptureRow(row))
            } catch {
                Counter(label: "rial_claims_unreadable_total").increment()
                failure = failure ?? error
                return nil
            }
        }
        if claims.isEmpty, let failure { throw failure }
        return claims
    }

    func log(_ method: VerificationMethod, digest: ContentDigest, network: String, status: String, capture: CaptureID?) async throws {
        _ = try await database.query(
            """
            INSERT INTO verification_logs (method, file_sha256, client_network, status, capture_id)
            VALUES (\(method.rawValue), \(digest.bytes), \(network), \(status), \(capture?.uuid))
            """)
    }

    func sweep() async throws {
        try await database.deleteRows(of: "verification_logs", by: "asked_at", olderThan: "interval '30 days'")
    }
}
