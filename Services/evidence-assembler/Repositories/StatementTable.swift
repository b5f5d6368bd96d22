import CaptureProtocol
import Delivery
import Foundation
import Models
import Persistence
import TransparencyLog

/// The statements about captures, in one transaction. Only `evidence-assembler` writes them.
struct StatementTable {
    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    /// Does nothing for a withdrawn capture.
    nonisolated(nonsending) func insert(_ new: NewStatement, of capture: CaptureID) async throws {
        let statement = new.statement
        let raw = try new.raw.map { raw in
            try PostgresJSON(
                encoding: Dictionary(uniqueKeysWithValues: raw.digests.map { ($0.key.rawValue, $0.value.hex) }))
        }
        try await connection.query(
            """
            INSERT INTO statements
                (commitment, capture_id, sequence, kind, subject, time, not_before, statement, salt, evidence, raw, raw_salt)
            VALUES (\(new.commitment.bytes), \(capture.uuid), \(statement.sequence), \(statement.kind.rawValue), \(statement.subject.bytes),
                \(statement.time), \(new.notBefore), \(statement.bytes), \(new.salt.bytes), \(new.evidence), \(raw),
                \(new.raw?.salt.bytes))
            """)
    }

    /// `nil` if there is none.
    /// - Throws: ``RejectedMessage`` if this version cannot read it.
    nonisolated(nonsending) func last(of capture: CaptureID) async throws -> LastStatement? {
        let rows = try await connection.query(
            """
            SELECT kind, subject, sequence, commitment, not_before IS NOT NULL AS is_held,
                CASE kind WHEN 'revocation' THEN convert_from(statement, 'UTF8')::jsonb ->> 'reason' END AS reason
            FROM statements WHERE capture_id = \(capture.uuid) ORDER BY sequence DESC LIMIT 1
            """)
        guard let row = rows.first else { return nil }
        guard let kind = Statement.Kind(rawValue: try row.get("kind")),
            let subject = LogSubject(bytes: try row.get("subject", as: [UInt8].self)),
            let commitment = ContentDigest(bytes: try row.get("commitment", as: [UInt8].self))
        else { throw RejectedMessage(.captureUnreadable, detail: "its last statement") }
        return LastStatement(
            kind: kind, subject: subject, sequence: try row.get("sequence"), commitment: commitment,
            isTimeHeld: try row.get("is_held"), reason: try row.getOptional("reason"))
    }

    /// What is known of a complete capture; `nil` if it is not complete.
    /// - Throws: ``RejectedMessage`` if this version cannot read it, or if its columns do not fit what was announced.
    nonisolated(nonsending) func stated(_ capture: CaptureID) async throws -> StatedCapture? {
        let rows = try await connection.query(
            """
            SELECT id, device_id, type, capture_mode, announcement, media_sha256, evidence, confidence_level, captured_at,
                captured_precision,
                (SELECT manifest_id FROM content_credentials WHERE capture_id = captures.id) AS manifest_id,
                (SELECT result ->> 'attestation_sha256' FROM evidence_parts
                    WHERE capture_id = captures.id AND part = \(EvidencePart.attestation.rawValue)) AS attestation,
                (SELECT jsonb_object_agg(name, encode(sha256, 'hex')) FROM media_objects WHERE capture_id = captures.id) AS objects
            FROM captures WHERE id = \(capture.uuid) AND status = 'complete'
            """)
        guard let row = rows.first else { return nil }
        guard let mediaHash = ContentDigest(bytes: try row.get("media_sha256", as: [UInt8].self)),
            let confidence = ConfidenceLevel(rawValue: try row.get("confidence_level")),
            let precision = TimePrecision(rawValue: try row.get("captured_precision")),
            let storedTime = SharedTime(column: try row.getOptional("captured_at"), precision: precision),
            let package = try? row.get("evidence", as: PostgresJSON.self).decode(EvidencePackage.self)
        else { throw RejectedMessage(.captureUnreadable, detail: "its verdict") }
        let announcement = try CaptureAnnouncement(row: row)
        try announcement.mustHave(mediaHash: mediaHash)
        // An earlier version may have assessed metadata that this one cannot read.
        let capturedAt = announcement.capturedAt(in: package) ?? storedTime
        let objects = try row.getOptional("objects", as: PostgresJSON.self)?.decode([String: ContentDigest].self) ?? [:]
        return StatedCapture(
            announcement, mediaHash: mediaHash,
            attestation: try row.getOptional("attestation", as: String.self).flatMap { ContentDigest(text: $0) }, capturedAt: capturedAt,
            package: package, confidence: confidence,
            objects: Dictionary(
                uniqueKeysWithValues: objects.compactMap { name, digest in MediaName(rawValue: name).map { ($0, digest) } }),
            manifestID: try row.getOptional("manifest_id"))
    }

    /// Since when the captures of a device are revoked with it: the earliest of its revocations that were not taken back; NULL if there is
    /// none.
    private static func revokedSince(_ device: SQL) -> SQL {
        """
        (SELECT min(since) FROM device_events WHERE device_id = \(device) AND id > coalesce(
            (SELECT max(id) FROM device_events WHERE device_id = \(device) AND action = 'restored'), 0))
        """
    }

    /// Whether operators revoked a row of `captures` with its device.
    static let revokedWithDevice: SQL = "coalesce(uploaded_at >= \(revokedSince("captures.device_id")), false)"

    /// Complete captures of a device that are revoked and should not be, or the other way round, ordered by id, after the given one.
    nonisolated(nonsending) func toRevise(of device: DeviceID, after last: CaptureID?, limit: Int) async throws -> [CaptureID] {
        try await connection.query(
            """
            SELECT captures.id FROM captures CROSS JOIN LATERAL
                (SELECT kind FROM statements WHERE capture_id = captures.id ORDER BY sequence DESC LIMIT 1) AS last
            WHERE device_id = \(device.uuid) AND status = 'complete' AND captures.id > \(last?.uuid ?? UUID.least)
                AND coalesce(uploaded_at >= \(Self.revokedSince("\(device.uuid)")), false) <> (last.kind = 'revocation')
            ORDER BY captures.id LIMIT \(limit)
            """
        ).map { CaptureID(try $0.get("id", as: UUID.self)) }
    }

    /// Whether operators revoked the capture with its device.
    nonisolated(nonsending) func isRevoked(_ capture: CaptureID) async throws -> Bool {
        let rows = try await connection.query("SELECT \(Self.revokedWithDevice) AS is_revoked FROM captures WHERE id = \(capture.uuid)")
        return try rows.first?.get("is_revoked") ?? false
    }

    /// Makes the statement that operators' decisions about the device ask for; `nil` if the last one says the same already.
    nonisolated(nonsending) func revise(_ capture: CaptureID, by maker: StatementMaker) async throws -> NewStatement? {
        guard let last = try await last(of: capture) else { return nil }
        let isRevoked = try await isRevoked(capture)
        let new: NewStatement
        if last.isRevokedWithDevice, !isRevoked {
            guard let stated = try await stated(capture) else { return nil }
            new = try maker.reassessment(of: stated, after: last)
        } else if last.kind != .revocation, isRevoked {
            new = try maker.revocation(of: capture, after: last)
        } else {
            return nil
        }
        try await insert(new, of: capture)
        return new
    }

    /// Notes where the statements of a capture stand in the published log.
    nonisolated(nonsending) func noteLogged(_ capture: CaptureID) async throws {
        try await connection.query(
            """
            UPDATE statements SET origin = log_entries.origin, leaf_index = log_entries.leaf_index
            FROM log_entries JOIN log_shards ON log_shards.origin = log_entries.origin
            WHERE statements.capture_id = \(capture.uuid) AND statements.leaf_index IS NULL
                AND log_entries.commitment = statements.commitment AND log_entries.leaf_index < log_shards.published_size
            """)
    }

    /// The same for statements of any captures that have been waiting for a minute.
    /// - Returns: how many were noted.
    nonisolated(nonsending) func noteLogged(limit: Int) async throws -> Int {
        try await connection.query(
            """
            UPDATE statements SET origin = logged.origin, leaf_index = logged.leaf_index
            FROM (SELECT statements.commitment, log_entries.origin, log_entries.leaf_index FROM statements
                JOIN log_entries ON log_entries.commitment = statements.commitment
                JOIN log_shards ON log_shards.origin = log_entries.origin
                WHERE statements.leaf_index IS NULL AND time < extract(epoch FROM now()) - 60
                    AND log_entries.leaf_index < log_shards.published_size
                LIMIT \(limit)) AS logged
            WHERE statements.commitment = logged.commitment AND statements.leaf_index IS NULL RETURNING statements.commitment
            """
        ).count
    }
}
