import Attestation
import CaptureProtocol
import Delivery
import Foundation
import Logging
import Models
import Movie
import ObjectStorage
import Persistence
import SimulatedDevice
import TestSupport
import Testing

@testable import AttestationVerifier

/// The kind of the service's repositories.
enum Backend: String, CustomTestStringConvertible {
    case memory, postgres

    /// PostgreSQL only if it is configured.
    static var available: [Backend] { TestSchema.isConfigured ? [.memory, .postgres] : [.memory] }

    var testDescription: String { rawValue }

    func rig() throws -> any VerifierRig {
        switch self {
        case .memory: MemoryRig()
        case .postgres: PostgresRig(database: try #require(TestSchema.shared), store: MemoryObjectStore())
        }
    }
}

/// The service's handlers over one backend, and the tests' access to that backend.
protocol VerifierRig: Sendable {
    associatedtype Registrations: RegistrationRepository
    associatedtype Appraisals: PartRepository<AttestationAppraised, AppraisedCapture>
    where Appraisals.Transaction == Registrations.Transaction
    var registrations: Registrations { get }
    var appraisals: Appraisals { get }
    var devices: any DeviceRepository { get }
    var store: MemoryObjectStore { get }

    func inTransaction(_ body: @escaping @Sendable (Registrations.Transaction) async throws -> Void) async throws
    /// Stores a submission, as the gateway does.
    func submit(_ submission: RegistrationSubmission) async throws
    /// Deletes a submission, as the gateway does after a day.
    func forget(_ registration: RegistrationID) async throws
    func accept(_ announcement: CaptureAnnouncement) async throws
    /// The announced outcomes, in order.
    func outcomes(of registration: RegistrationID) async throws -> [RegistrationOutcome]
    func answers(for capture: CaptureID) async throws -> [AttestationAppraised]
    /// What was announced of an operator's decisions, in order.
    func revisions(of device: DeviceID) async throws -> [DeviceRevoked]
    /// The device that a registration created.
    func device(of registration: RegistrationID) async throws -> DeviceID?
}

extension VerifierRig {
    private func context(_ event: EventID, _ topic: Topic) -> MessageContext {
        MessageContext(eventID: event, topic: topic, logger: .quiet)
    }

    private var registration: AppraiseRegistration<Registrations> {
        AppraiseRegistration(appraiser: Fixture.appraiser, receipts: ReceiptAppraiser(), registrations: registrations)
    }

    private var capture: PartHandler<AppraiseCapture, Appraisals, CaptureReceived> {
        PartHandler(
            AppraiseCapture(appraiser: CaptureAppraiser(policy: Fixture.policy), devices: devices, storage: store), parts: appraisals)
    }

    func handle(_ registration: RegistrationID, event: EventID = EventID()) async throws {
        try await self.registration.handle(
            RegistrationSubmitted(registrationID: registration), context(event, .registrationSubmitted))
    }

    func giveUp(_ registration: RegistrationID, _ reason: FailureReason) async throws {
        try await inTransaction {
            try await self.registration.giveUp(RegistrationSubmitted(registrationID: registration), reason: reason, on: $0)
        }
    }

    func handle(_ capture: CaptureID, event: EventID = EventID()) async throws {
        try await self.capture.handle(CaptureReceived(captureID: capture, kind: .photo), context(event, .captureReceived))
    }

    /// Handles a capture of which something else happens between its appraisal and the transaction that saves it.
    func handle(_ capture: CaptureID, event: EventID = EventID(), meanwhile: () async throws -> Void) async throws {
        let work = AppraiseCapture(appraiser: CaptureAppraiser(policy: Fixture.policy), devices: devices, storage: store)
        let announcement = try #require(try await appraisals.find(capture)).announcement
        let appraised = try await work.compute(announcement)
        try await meanwhile()
        _ = try await appraisals.save(
            appraised, of: announcement, replacing: false, answering: context(event, .captureReceived))
    }

    func handleVideo(_ capture: CaptureID) async throws {
        let work = AppraiseCapture(appraiser: CaptureAppraiser(policy: Fixture.policy), devices: devices, storage: store)
        try await PartHandler(work, parts: appraisals, for: VideoReceived.self)
            .handle(VideoReceived(captureID: capture), context(EventID(), .videoReceived))
    }

    /// Stores a video's parts and announces it, as the gateway does.
    /// - Parameter damaged: the name of an object that is stored with another byte in its middle.
    func accept(_ video: RecordedVideo, by device: DeviceID, damaging damaged: String? = nil) async throws -> CaptureAnnouncement {
        let id = CaptureID()
        func stored(_ bytes: [UInt8], _ name: MediaName) async throws -> StoredMedia {
            var kept = bytes
            if damaged == name.rawValue { kept[kept.count / 2] ^= 1 }
            try await store.put(name.key(of: id), bytes: kept, contentType: name.contentType)
            return StoredMedia(
                key: name.key(of: id), sha256: ContentDigest(of: bytes), sizeBytes: Int64(bytes.count), contentType: name.contentType)
        }
        let announcement = CaptureAnnouncement(
            captureID: id, deviceID: device,
            content: .video(
                VideoContent(
                    video: try await stored(video.video, .originalVideo), depth: try await stored(video.depth, .depth),
                    hashChain: try await stored(video.chainBytes, .hashChain), moov: try Movie(file: video.video).moov)),
            metadata: video.metadata, assertion: video.assertion, receivedAt: Fixture.now)
        try await accept(announcement)
        return announcement
    }

    func giveUp(_ capture: CaptureID, _ reason: FailureReason) async throws {
        try await inTransaction {
            try await self.capture.giveUp(CaptureReceived(captureID: capture, kind: .photo), reason: reason, on: $0)
        }
    }

    func findings(_ capture: CaptureID) async throws -> AttestationFindings? { try await appraisals.find(capture)?.stored }

    /// Registers a device by its attestation.
    func register(_ device: SimulatedDevice) async throws -> DeviceID {
        let submission = try Fixture.submission(of: device)
        try await submit(submission)
        try await handle(submission.registrationID)
        return try #require(try await self.device(of: submission.registrationID))
    }
}

/// The handlers with repositories in PostgreSQL.
struct PostgresRig: VerifierRig {
    let database: PostgresPool
    let store: MemoryObjectStore

    var registrations: PostgresRegistrationRepository {
        PostgresRegistrationRepository(database: database, outbox: Outbox(.attestationVerifier), inbox: Inbox(.attestationVerifier))
    }
    var appraisals: PostgresPartRepository<AttestationAppraised, AppraisedCapture> { .appraisals(database) }
    var devices: any DeviceRepository { PostgresDeviceRepository(database: database, outbox: Outbox(.attestationVerifier)) }

    func inTransaction(_ body: @escaping @Sendable (PostgresConnection) async throws -> Void) async throws {
        try await database.withTransaction(body)
    }

    func submit(_ submission: RegistrationSubmission) async throws {
        let challenge = ContentDigest(of: Array(submission.registrationID.description.utf8))
        _ = try await database.query(
            """
            INSERT INTO challenges (challenge, expires_at, consumed_at, body_sha256, registration_id, submission)
            VALUES (\(challenge.bytes), now(), now(), \(challenge.bytes), \(submission.registrationID.uuid),
                \(PostgresJSON(encoding: submission)))
            """)
    }

    func forget(_ registration: RegistrationID) async throws {
        _ = try await database.query("DELETE FROM challenges WHERE registration_id = \(registration.uuid)")
    }

    func accept(_ announcement: CaptureAnnouncement) async throws {
        try await StoredCapture.insert(announcement, in: database)
    }

    func outcomes(of registration: RegistrationID) async throws -> [RegistrationOutcome] {
        try await events(RegistrationAppraised.self, key: "\(registration)").map(\.outcome)
    }

    func answers(for capture: CaptureID) async throws -> [AttestationAppraised] { try await events(key: "\(capture)") }

    func revisions(of device: DeviceID) async throws -> [DeviceRevoked] { try await events(key: "\(device)") }

    private func events<E: Event>(_ type: E.Type = E.self, key: String) async throws -> [E] {
        try await database.query(
            """
            SELECT value FROM attestation_verifier_outbox WHERE topic = \(E.topic.rawValue) AND record_key = \(key) ORDER BY id
            """
        ).map { try WireJSON.decode(E.self, from: try $0.get("value", as: [UInt8].self)) }
    }

    func device(of registration: RegistrationID) async throws -> DeviceID? {
        try await database.query("SELECT device_id FROM registrations WHERE id = \(registration.uuid)").first
            .flatMap { try $0.getOptional("device_id", as: UUID.self) }.map { DeviceID($0) }
    }
}
