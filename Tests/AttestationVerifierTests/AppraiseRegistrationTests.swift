import Attestation
import CaptureProtocol
import Foundation
import HTTPTypes
import Models
import Persistence
import SimulatedDevice
import TestSupport
import Testing

@testable import AttestationVerifier

@Suite("Appraisal of registrations", .sharedSchema("registrations"))
struct AppraiseRegistrationTests {
    @Test("an attestation that holds makes a verified device, and says so", arguments: Backend.available)
    func verified(backend: Backend) async throws {
        let submission = try Fixture.submission(of: SimulatedDevice())
        let rig = try backend.rig()
        try await rig.submit(submission)
        try await rig.handle(submission.registrationID)
        #expect(try await rig.outcomes(of: submission.registrationID) == [.registered])
        let id = try #require(try await rig.device(of: submission.registrationID))
        let device = try #require(try await rig.devices.find(id))
        #expect(device.registered.level == .secureEnclave && device.registered.isDevelopmentRoot && !device.registered.isRevoked)
        #expect(device.registered.appID == SimulatedDevice.developmentAppID && device.registered.publicKey?.count == 65)
        #expect(device.model == submission.model && device.hasLiDAR)
    }

    @Test("one that does not hold makes an unverified device, if a request key can authenticate that", arguments: Backend.available)
    func unverified(backend: Backend) async throws {
        let withKey = try Fixture.submission(of: SimulatedDevice(), defect: .wrongChallenge)
        let without = try Fixture.submission(of: SimulatedDevice(requestKey: .none), defect: .wrongChallenge)
        let malformed = try Fixture.submission(of: SimulatedDevice(), defect: .truncatedAuthData)
        let rig = try backend.rig()
        for (submission, outcome) in [
            (withKey, RegistrationOutcome.registered), (without, .invalidAttestation), (malformed, .invalidAttestation),
        ] {
            try await rig.submit(submission)
            try await rig.handle(submission.registrationID)
            #expect(try await rig.outcomes(of: submission.registrationID) == [outcome])
            #expect((try await rig.device(of: submission.registrationID) != nil) == (outcome == .registered))
        }
        let id = try #require(try await rig.device(of: withKey.registrationID))
        let device = try await rig.devices.find(id)
        #expect(device?.registered.level == .unverified && device?.registered.publicKey == nil)
    }

    @Test("a key makes one verified device, and any number of unverified ones", arguments: Backend.available)
    func once(backend: Backend) async throws {
        let device = SimulatedDevice()
        let submissions = [
            try Fixture.submission(of: device, defect: .wrongChallenge), try Fixture.submission(of: device),
            try Fixture.submission(of: device), try Fixture.submission(of: device, defect: .wrongChallenge),
        ]
        let rig = try backend.rig()
        for (submission, outcome) in zip(submissions, [RegistrationOutcome.registered, .registered, .alreadyRegistered, .registered]) {
            try await rig.submit(submission)
            try await rig.handle(submission.registrationID)
            #expect(try await rig.outcomes(of: submission.registrationID) == [outcome])
            #expect((try await rig.device(of: submission.registrationID) != nil) == (outcome == .registered))
        }
    }

    @Test("the first outcome stands, and is announced once an event", arguments: Backend.available)
    func again(backend: Backend) async throws {
        let submission = try Fixture.submission(of: SimulatedDevice())
        let rig = try backend.rig()
        try await rig.submit(submission)
        let event = EventID()
        for _ in 0..<3 { try await rig.handle(submission.registrationID, event: event) }
        #expect(try await rig.outcomes(of: submission.registrationID) == [.registered])
        let device = try await rig.device(of: submission.registrationID)
        try await rig.handle(submission.registrationID)
        try await rig.giveUp(submission.registrationID, .handlingFailed)
        #expect(try await rig.outcomes(of: submission.registrationID) == [.registered, .registered])
        #expect(try await rig.device(of: submission.registrationID) == device && device != nil)
    }

    @Test("the outcome stands, and is announced once an event, when the submission is deleted", arguments: Backend.available)
    func forgotten(backend: Backend) async throws {
        let submission = try Fixture.submission(of: SimulatedDevice())
        let id = submission.registrationID
        let rig = try backend.rig()
        try await rig.submit(submission)
        let event = EventID()
        try await rig.handle(id, event: event)
        let device = try await rig.device(of: id)
        try await rig.forget(id)
        try await rig.handle(id, event: event)
        #expect(try await rig.outcomes(of: id) == [.registered])
        let another = EventID()
        for _ in 0..<2 { try await rig.handle(id, event: another) }
        #expect(try await rig.outcomes(of: id) == [.registered, .registered])
        #expect(try await rig.device(of: id) == device && device != nil)
    }

    @Test("one that was given up, and whose submission is deleted, is not known any more", arguments: Backend.available)
    func failedAndForgotten(backend: Backend) async throws {
        let submission = try Fixture.submission(of: SimulatedDevice())
        let rig = try backend.rig()
        try await rig.submit(submission)
        try await rig.giveUp(submission.registrationID, .handlingFailed)
        try await rig.forget(submission.registrationID)
        #expect(await rejection { try await rig.handle(submission.registrationID) } == .registrationUnknown)
        #expect(try await rig.outcomes(of: submission.registrationID) == [.failed])
    }

    @Test("one that was given up is announced as failed, and can succeed later", arguments: Backend.available)
    func failed(backend: Backend) async throws {
        let submission = try Fixture.submission(of: SimulatedDevice())
        let rig = try backend.rig()
        try await rig.submit(submission)
        try await rig.giveUp(submission.registrationID, .handlingFailed)
        try await rig.giveUp(submission.registrationID, .processDied)
        #expect(try await rig.outcomes(of: submission.registrationID) == [.failed])
        try await rig.handle(submission.registrationID)
        #expect(try await rig.outcomes(of: submission.registrationID) == [.failed, .registered])
    }

    @Test("what nobody submitted is rejected, and nothing is said of it", arguments: Backend.available)
    func unknown(backend: Backend) async throws {
        let rig = try backend.rig()
        let nobody = RegistrationID()
        await #expect { try await rig.handle(nobody) } throws: {
            ($0 as? RejectedMessage)?.reason == .registrationUnknown
        }
        try await rig.giveUp(nobody, .registrationUnknown)
        #expect(try await rig.outcomes(of: nobody).isEmpty)
    }

    @Test(
        "a submission in words that this version does not know is rejected, and fails",
        .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
    func unreadable() async throws {
        let submission = try Fixture.submission(of: SimulatedDevice())
        let rig = try Backend.postgres.rig()
        try await rig.submit(submission)
        let database = try #require(rig as? PostgresRig).database
        _ = try await database.query(
            "UPDATE challenges SET submission = submission - 'key_id' WHERE registration_id = \(submission.registrationID.uuid)")
        await #expect { try await rig.handle(submission.registrationID) } throws: {
            ($0 as? RejectedMessage)?.reason == .registrationUnreadable
        }
        try await rig.giveUp(submission.registrationID, .registrationUnreadable)
        #expect(try await rig.outcomes(of: submission.registrationID) == [.failed])
    }

    @Test(
        "one with an outcome that this version does not know is an error, and nothing is said of it",
        .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
    func unknownOutcome() async throws {
        let submission = try Fixture.submission(of: SimulatedDevice())
        let rig = try Backend.postgres.rig()
        try await rig.submit(submission)
        let database = try #require(rig as? PostgresRig).database
        _ = try await database.query("ALTER TABLE registrations DROP CONSTRAINT registrations_outcome_check")
        _ = try await database.query("INSERT INTO registrations (id, outcome) VALUES (\(submission.registrationID.uuid), 'postponed')")
        let failure = await error(PostgresError.self) { try await rig.handle(submission.registrationID) }
        #expect(failure?.code == .decoding && failure?.message == "column outcome has the unknown word postponed")
        try await rig.giveUp(submission.registrationID, .handlingFailed)
        #expect(try await rig.outcomes(of: submission.registrationID).isEmpty)
    }
}

@Suite("What operators do to devices", .sharedSchema("devices"))
struct DeviceRepositoryTests {
    @Test("a device is revoked and restored, and who did so is kept, latest first", arguments: Backend.available)
    func actions(backend: Backend) async throws {
        let rig = try backend.rig()
        let id = try await rig.register(SimulatedDevice())
        #expect(try await rig.devices.events(of: id) == [])
        let note = try #require(OperatorNote(Array(#"{"by": "someone", "reason": "stolen"}"#.utf8)))
        for action in [DeviceAction.revoked, .revoked, .restored, .revoked] {
            #expect(try await rig.devices.apply(action, to: id, note))
            #expect(try await rig.devices.find(id)?.registered.isRevoked == (action == .revoked))
        }
        let events = try #require(try await rig.devices.events(of: id))
        #expect(events.map(\.action) == [.revoked, .restored, .revoked, .revoked])
        #expect(events.allSatisfy { $0.by == "someone" && $0.reason == "stolen" && $0.since == nil })
        #expect(try await rig.revisions(of: id) == Array(repeating: DeviceRevoked(deviceID: id), count: 4))
    }

    @Test("from when on a revocation counts is kept with it", arguments: Backend.available)
    func since(backend: Backend) async throws {
        let rig = try backend.rig()
        let id = try await rig.register(SimulatedDevice())
        let note = try #require(OperatorNote(Array(#"{"by": "someone", "since": "2026-11-01T12:00:00+01:00"}"#.utf8)))
        #expect(try await rig.devices.apply(.revoked, to: id, note))
        #expect(try await rig.devices.events(of: id)?.map(\.since) == [Date(timeIntervalSince1970: 1_793_530_800)])
    }

    @Test(
        "what the attestation was made over is kept with the device",
        .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
    func clientData() async throws {
        let rig = try #require(try Backend.postgres.rig() as? PostgresRig)
        let submission = try Fixture.submission(of: SimulatedDevice())
        try await rig.submit(submission)
        try await rig.handle(submission.registrationID)
        let id = try #require(try await rig.device(of: submission.registrationID))
        let rows = try await rig.database.query("SELECT client_data_hash FROM devices WHERE id = \(id.uuid)")
        #expect(try rows.first?.get("client_data_hash", as: [UInt8].self) == submission.clientDataHash.bytes)
        #expect(try await rig.devices.find(id)?.attestationDigest == ContentDigest(of: submission.attestationObject.bytes))
    }

    @Test("one that nobody registered is neither found nor changed", arguments: Backend.available)
    func unknown(backend: Backend) async throws {
        let rig = try backend.rig()
        let note = try #require(OperatorNote([]))
        #expect(try await rig.devices.find(DeviceID()) == nil)
        let unknown = DeviceID()
        #expect(try await !rig.devices.apply(.revoked, to: unknown, note))
        #expect(try await rig.revisions(of: unknown) == [])
        #expect(try await rig.devices.events(of: DeviceID()) == nil)
    }
}
