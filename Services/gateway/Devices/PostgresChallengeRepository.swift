import CaptureProtocol
import Delivery
import Foundation
import Models
import Observability
import Persistence

/// The challenges in `challenges`, with the registration body that consumed each.
struct PostgresChallengeRepository: ChallengeRepository {
    /// How long a challenge can be used.
    private static let lifetime: SQL = "interval '5 minutes'"
    /// How long its registration is found by the same body.
    private static let repeatable: SQL = "interval '\(unescaped: String(DeviceRegistration.repeatableSeconds)) seconds'"
    let database: PostgresPool
    let outbox: Outbox

    func issue() async throws -> (challenge: [UInt8], expiresAt: Date) {
        let challenge = [UInt8].random(32)
        let rows = try await database.query(
            """
            INSERT INTO challenges (challenge, expires_at) VALUES (\(challenge), now() + \(Self.lifetime)) RETURNING expires_at
            """)
        guard let row = rows.first else { throw PostgresError(code: .decoding, message: "a challenge was not inserted") }
        return (challenge, try row.get("expires_at"))
    }

    func consume(_ body: RegistrationBody, digest: ContentDigest) async throws -> ChallengeUse {
        try await database.withTransaction { connection in
            let fresh = RegistrationID()
            let consumed = try await connection.query(
                """
                UPDATE challenges SET consumed_at = now(), body_sha256 = \(digest.bytes), registration_id = \(fresh.uuid),
                    announced_at = now()
                WHERE challenge = \(body.challenge) AND consumed_at IS NULL AND expires_at > now()
                RETURNING consumed_at
                """)
            if let row = consumed.first {
                FailPoint.reached("gateway.challenge.consumed")
                try await submit(body.submission(fresh, receivedAt: row.get("consumed_at")), body.challenge, on: connection)
                return .registration(fresh)
            }
            let known = try await connection.query(
                """
                SELECT registration_id, consumed_at FROM challenges
                WHERE challenge = \(body.challenge) AND body_sha256 = \(digest.bytes) AND consumed_at > now() - \(Self.repeatable)
                """)
            guard let row = known.first else { return .refused }
            let registration = RegistrationID(try row.get("registration_id", as: UUID.self))
            let overdue = try await connection.query(
                """
                UPDATE challenges SET announced_at = now()
                WHERE challenge = \(body.challenge) AND announced_at < now() - interval '2 seconds'
                    AND NOT EXISTS (SELECT FROM registrations WHERE id = \(registration.uuid) AND outcome <> 'failed')
                RETURNING challenge
                """)
            if !overdue.isEmpty {
                try await submit(
                    body.submission(registration, receivedAt: row.get("consumed_at")), body.challenge, on: connection)
            }
            return .registration(registration)
        }
    }

    func sweep() async throws {
        try await database.deleteRows(of: "challenges", by: "created_at", olderThan: "(\(Self.repeatable) + \(Self.lifetime))")
    }

    /// Stores the submission for the verifier and announces it.
    private nonisolated(nonsending) func submit(
        _ submission: RegistrationSubmission, _ challenge: [UInt8], on connection: PostgresConnection
    ) async throws {
        try await connection.query(
            """
            UPDATE challenges SET submission = \(PostgresJSON(encoding: submission)) WHERE challenge = \(challenge) AND submission IS NULL
            """)
        try await outbox.append(RegistrationSubmitted(registrationID: submission.registrationID), on: connection)
    }
}

extension RegistrationBody {
    /// - Parameter receivedAt: when the challenge was consumed.
    fileprivate func submission(_ id: RegistrationID, receivedAt: Date) -> RegistrationSubmission {
        RegistrationSubmission(
            registrationID: id, model: model, hasLiDAR: hasLiDAR, osVersion: osVersion, keyID: keyID,
            attestationObject: attestationObject, clientDataHash: clientDataHash, requestKey: requestKey, receivedAt: receivedAt)
    }
}
