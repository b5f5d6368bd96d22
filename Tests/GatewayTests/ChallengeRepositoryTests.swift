import CaptureProtocol
import Delivery
import Foundation
import Models
import Persistence
import Testing

@testable import Gateway

@Suite("Challenges, in memory and in PostgreSQL")
struct ChallengeRepositoryTests {
    /// Three seconds.
    private static let moment = 3.0 / 3600

    @Test("a challenge is 32 bytes for five minutes, and never the same", arguments: Backend.available)
    func issue(backend: Backend) async throws {
        try await backend.with { rig in
            let first = try await rig.challenges.issue()
            let second = try await rig.challenges.issue()
            #expect(first.challenge.count == 32 && first.challenge != second.challenge)
            #expect((280...310).contains(first.expiresAt.timeIntervalSinceNow))
        }
    }

    @Test("one body consumes it; the same body finds its registration, another does not", arguments: Backend.available)
    func consume(backend: Backend) async throws {
        try await backend.with { rig in
            let body = try Self.body(try await rig.challenges.issue().challenge)
            let first = try #require(try await Self.use(rig.challenges, body, digest: 1))
            #expect(try await Self.use(rig.challenges, body, digest: 1) == first)
            #expect(try await Self.use(rig.challenges, body, digest: 2) == nil)
            #expect(try await rig.announced() == [first.description])
        }
    }

    @Test("of different bodies at the same moment exactly one gets it", arguments: Backend.available)
    func race(backend: Backend) async throws {
        try await backend.with { rig in
            let body = try Self.body(try await rig.challenges.issue().challenge)
            let registrations = try await withThrowingTaskGroup(of: RegistrationID?.self) { group in
                for index in 0..<12 {
                    let challenges = index % 2 == 0 ? rig.challenges : rig.otherChallenges
                    group.addTask { try await Self.use(challenges, body, digest: UInt8(index)) }
                }
                return try await group.reduce(into: [RegistrationID]()) { all, one in if let one { all.append(one) } }
            }
            #expect(registrations.count == 1)
            #expect(try await rig.announced() == registrations.map(\.description))
        }
    }

    @Test("an unknown or expired challenge is refused", arguments: Backend.available)
    func refused(backend: Backend) async throws {
        try await backend.with { rig in
            #expect(try await Self.use(rig.challenges, Self.body([UInt8](repeating: 0, count: 32)), digest: 1) == nil)
            let body = try Self.body(try await rig.challenges.issue().challenge)
            try await rig.ageChallenges(byHours: 301.0 / 3600)
            #expect(try await Self.use(rig.challenges, body, digest: 1) == nil)
            #expect(try await rig.announced().isEmpty)
        }
    }

    @Test("the same body finds its registration for a day, though the challenge has expired", arguments: Backend.available)
    func laterRepeat(backend: Backend) async throws {
        try await backend.with { rig in
            let body = try Self.body(try await rig.challenges.issue().challenge)
            let first = try await Self.use(rig.challenges, body, digest: 1)
            try await rig.ageChallenges(byHours: 23)
            #expect(try await Self.use(rig.challenges, body, digest: 1) == first)
            try await rig.ageChallenges(byHours: 2)
            #expect(try await Self.use(rig.challenges, body, digest: 1) == nil)
        }
    }

    @Test("a repeat announces again while there is no outcome, but not at once, and not after one", arguments: Backend.available)
    func announcesAgain(backend: Backend) async throws {
        try await backend.with { rig in
            let body = try Self.body(try await rig.challenges.issue().challenge)
            let registration = try #require(try await Self.use(rig.challenges, body, digest: 1))
            _ = try await Self.use(rig.challenges, body, digest: 1)
            #expect(try await rig.announced().count == 1)
            try await rig.ageChallenges(byHours: Self.moment)
            _ = try await Self.use(rig.challenges, body, digest: 1)
            #expect(try await rig.announced().count == 2)
            try await rig.decide(.invalidAttestation, on: registration, device: nil)
            try await rig.ageChallenges(byHours: Self.moment)
            #expect(try await Self.use(rig.challenges, body, digest: 1) == registration)
            #expect(try await rig.announced().count == 2)
        }
    }

    @Test("a repeat announces again what only a fault of ours has ended: the device's key is not burnt by it", arguments: Backend.available)
    func announcesFailed(backend: Backend) async throws {
        try await backend.with { rig in
            let body = try Self.body(try await rig.challenges.issue().challenge)
            let registration = try #require(try await Self.use(rig.challenges, body, digest: 1))
            try await rig.decide(.failed, on: registration, device: nil)
            try await rig.ageChallenges(byHours: Self.moment)
            #expect(try await Self.use(rig.challenges, body, digest: 1) == registration)
            #expect(try await rig.announced().count == 2)
        }
    }

    @Test(
        "what a registration asks for is in the row of its challenge, and not in the record",
        .enabled(if: GatewayDatabase.isConfigured, GatewayDatabase.hint))
    func submission() async throws {
        try await GatewayDatabase.with { pool in
            let challenges = PostgresChallengeRepository(database: pool, outbox: Outbox(.gateway))
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

    @Test("the sweep forgets challenges after a day", arguments: Backend.available)
    func sweep(backend: Backend) async throws {
        try await backend.with { rig in
            _ = try await rig.challenges.issue()
            try await rig.ageChallenges(byHours: 25)
            _ = try await rig.challenges.issue()
            try await rig.challenges.sweep()
            #expect(try await rig.challengeCount() == 1)
        }
    }

    @Test("what the verifier has decided is found, with the device if there is one", arguments: Backend.available)
    func outcomes(backend: Backend) async throws {
        try await backend.with { rig in
            let (refused, registered, device) = (RegistrationID(), RegistrationID(), try await rig.insertDevice())
            #expect(try await rig.registrations.find(refused) == nil)
            try await rig.decide(.alreadyRegistered, on: refused, device: nil)
            try await rig.decide(.registered, on: registered, device: device)
            let (none, one) = (try await rig.registrations.find(refused), try await rig.registrations.find(registered))
            #expect(none?.outcome == .alreadyRegistered && none?.device == nil)
            let result = try #require(one?.device)
            #expect(one?.outcome == .registered && result.deviceID == device && result.attestationLevel == .unverified && result.hasLiDAR)
        }
    }

    private static func use(_ challenges: any ChallengeRepository, _ body: RegistrationBody, digest: UInt8) async throws -> RegistrationID?
    {
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
}
