import CaptureProtocol
import Delivery
import Foundation
import Models
import Persistence
import Testing

@testable import Gateway

@Suite("Challenges", .enabled(if: GatewayDatabase.isConfigured, GatewayDatabase.hint))
struct ChallengeRepositoryTests {
    @Test("a challenge is 32 bytes for five minutes, and never the same")
    func issue() async throws {
        try await GatewayDatabase.with { pool in
            let challenges = ChallengeRepository(database: pool, outbox: Outbox(.gateway))
            let first = try await challenges.issue()
            let second = try await challenges.issue()
            #expect(first.challenge.count == 32 && first.challenge != second.challenge)
            #expect((280...310).contains(first.expiresAt.timeIntervalSinceNow))
        }
    }

    @Test("one body consumes it; the same body finds its registration, another does not")
    func consume() async throws {
        try await GatewayDatabase.with { pool in
            let challenges = ChallengeRepository(database: pool, outbox: Outbox(.gateway))
            let body = try Self.body(try await challenges.issue().challenge)
            let first = try await Self.use(challenges, body, digest: 1)
            #expect(first != nil)
            #expect(try await Self.use(challenges, body, digest: 1) == first)
            #expect(try await Self.use(challenges, body, digest: 2) == nil)
            #expect(try await Self.announcements(pool) == 1)
        }
    }

    @Test("of different bodies at the same moment exactly one gets it")
    func race() async throws {
        try await GatewayDatabase.with(pools: 2) { pools in
            let issuer = ChallengeRepository(database: pools[0], outbox: Outbox(.gateway))
            let body = try Self.body(try await issuer.issue().challenge)
            let registrations = try await withThrowingTaskGroup(of: RegistrationID?.self) { group in
                for index in 0..<12 {
                    let challenges = ChallengeRepository(database: pools[index % 2], outbox: Outbox(.gateway))
                    group.addTask { try await Self.use(challenges, body, digest: UInt8(index)) }
                }
                return try await group.reduce(into: [RegistrationID]()) { all, one in if let one { all.append(one) } }
            }
            #expect(registrations.count == 1)
            #expect(try await Self.announcements(pools[0]) == 1)
        }
    }

    @Test("an unknown or expired challenge is refused")
    func refused() async throws {
        try await GatewayDatabase.with { pool in
            let challenges = ChallengeRepository(database: pool, outbox: Outbox(.gateway))
            #expect(try await Self.use(challenges, Self.body([UInt8](repeating: 0, count: 32)), digest: 1) == nil)
            let body = try Self.body(try await challenges.issue().challenge)
            _ = try await pool.query("UPDATE challenges SET expires_at = now() - interval '1 second'")
            #expect(try await Self.use(challenges, body, digest: 1) == nil)
            #expect(try await Self.announcements(pool) == 0)
        }
    }

    @Test("the same body finds its registration for a day, though the challenge has expired")
    func laterRepeat() async throws {
        try await GatewayDatabase.with { pool in
            let challenges = ChallengeRepository(database: pool, outbox: Outbox(.gateway))
            let body = try Self.body(try await challenges.issue().challenge)
            let first = try await Self.use(challenges, body, digest: 1)
            try await Self.age(pool, by: "23 hours")
            #expect(try await Self.use(challenges, body, digest: 1) == first)
            try await Self.age(pool, by: "2 hours")
            #expect(try await Self.use(challenges, body, digest: 1) == nil)
        }
    }

    @Test("a repeat announces again while there is no outcome, but not at once, and not after one")
    func announcesAgain() async throws {
        try await GatewayDatabase.with { pool in
            let challenges = ChallengeRepository(database: pool, outbox: Outbox(.gateway))
            let body = try Self.body(try await challenges.issue().challenge)
            let registration = try #require(try await Self.use(challenges, body, digest: 1))
            _ = try await Self.use(challenges, body, digest: 1)
            #expect(try await Self.announcements(pool) == 1)
            try await Self.age(pool, by: "3 seconds")
            _ = try await Self.use(challenges, body, digest: 1)
            #expect(try await Self.announcements(pool) == 2)
            _ = try await pool.query("INSERT INTO registrations (id, outcome) VALUES (\(registration.uuid), 'invalid_attestation')")
            try await Self.age(pool, by: "3 seconds")
            #expect(try await Self.use(challenges, body, digest: 1) == registration)
            #expect(try await Self.announcements(pool) == 2)
        }
    }

    @Test("a repeat announces again what only a fault of ours has ended: the device's key is not burnt by it")
    func announcesFailed() async throws {
        try await GatewayDatabase.with { pool in
            let challenges = ChallengeRepository(database: pool, outbox: Outbox(.gateway))
            let body = try Self.body(try await challenges.issue().challenge)
            let registration = try #require(try await Self.use(challenges, body, digest: 1))
            _ = try await pool.query("INSERT INTO registrations (id, outcome) VALUES (\(registration.uuid), 'failed')")
            try await Self.age(pool, by: "3 seconds")
            #expect(try await Self.use(challenges, body, digest: 1) == registration)
            #expect(try await Self.announcements(pool) == 2)
        }
    }

    @Test("what a registration asks for is in the row of its challenge, and not in the record")
    func submission() async throws {
        try await GatewayDatabase.with { pool in
            let challenges = ChallengeRepository(database: pool, outbox: Outbox(.gateway))
            let body = try Self.body(try await challenges.issue().challenge)
            let registration = try #require(try await Self.use(challenges, body, digest: 1))
            let rows = try await pool.query("SELECT submission FROM challenges WHERE registration_id = \(registration.uuid)")
            let submission = try #require(rows.first).get("submission", as: PostgresJSON.self).decode(RegistrationSubmission.self)
            #expect(submission.registrationID == registration)
            #expect(submission.attestationObject.bytes == body.attestationObject)
            let value = try #require(try await pool.query("SELECT value FROM gateway_outbox").first).get("value", as: [UInt8].self)
            #expect(String(decoding: value, as: UTF8.self) == #"{"registration_id":"\#(registration)"}"#)
        }
    }

    @Test("the sweep forgets challenges after a day")
    func sweep() async throws {
        try await GatewayDatabase.with { pool in
            let challenges = ChallengeRepository(database: pool, outbox: Outbox(.gateway))
            _ = try await challenges.issue()
            try await Self.age(pool, by: "25 hours")
            _ = try await challenges.issue()
            try await challenges.sweep()
            #expect(try await pool.query("SELECT challenge FROM challenges").count == 1)
        }
    }

    private static func use(_ challenges: ChallengeRepository, _ body: RegistrationBody, digest: UInt8) async throws -> RegistrationID? {
        let digest = try #require(ContentDigest(bytes: [UInt8](repeating: digest, count: 32)))
        guard case .registration(let id) = try await challenges.consume(body, digest: digest) else { return nil }
        return id
    }

    private static func body(_ challenge: [UInt8]) throws -> RegistrationBody {
        let attestation = [
            "key_id": Base64.encode([UInt8](repeating: 1, count: 32)), "attestation_object": Base64.encode([1]),
            "challenge": Base64.encode(challenge),
        ]
        let fields: [String: Any] = ["platform": "ios", "model": "iPhone 15 Pro", "has_lidar": true, "attestation": attestation]
        return try RegistrationBody(Array(try JSONSerialization.data(withJSONObject: fields)))
    }

    private static func announcements(_ pool: PostgresPool) async throws -> Int {
        try await pool.query("SELECT id FROM gateway_outbox").count
    }

    private static func age(_ pool: PostgresPool, by interval: String) async throws {
        let step: SQL = "\(unescaped: "interval '\(interval)'")"
        _ = try await pool.query(
            """
            UPDATE challenges SET created_at = created_at - \(step), expires_at = expires_at - \(step),
                consumed_at = consumed_at - \(step), announced_at = announced_at - \(step)
            """)
    }
}
