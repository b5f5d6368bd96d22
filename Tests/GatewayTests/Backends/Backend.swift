import CaptureProtocol
import Foundation
import ManifestStore
import Models
import Testing
import TransparencyLog

@testable import Gateway

/// The kind of the gateway's repositories.
enum Backend: String, CustomTestStringConvertible {
    case memory, postgres

    /// PostgreSQL only if it is configured.
    static var available: [Backend] { GatewayDatabase.isConfigured ? [.memory, .postgres] : [.memory] }

    var testDescription: String { rawValue }

    /// Runs a test over repositories that hold nothing yet.
    func with(_ body: @Sendable (any GatewayRig) async throws -> Void) async throws {
        switch self {
        case .memory: try await body(MemoryRig())
        case .postgres: try await GatewayDatabase.with(pools: 2) { try await body(PostgresRig(pools: $0)) }
        }
    }
}

/// The gateway's repositories over one backend, and the tests' access to that backend.
protocol GatewayRig: Sendable {
    /// - Parameter seconds: how far the database's clock is ahead of the gateway's.
    func captures(databaseAhead seconds: Double) -> any CaptureRepository
    var intakes: any IntakeRepository { get }
    var withdrawals: any WithdrawalRepository { get }
    var devices: any DeviceRepository { get }
    /// Registers an unverified device.
    func insertDevice() async throws -> DeviceID
    /// Registers this one. If it is verified, it gets a key identifier of its own.
    func insert(_ device: KnownDevice) async throws
    /// Revokes the device, or takes that back.
    func set(isRevoked: Bool, of device: DeviceID) async throws
    /// Ends the capture as the assembler does that cannot go on with it.
    func fail(_ capture: CaptureID) async throws
    /// Stores what a service found, or that it gave up.
    func answer(_ part: EvidencePart, of capture: CaptureID, isGivenUp: Bool) async throws
    func captureIDs() async throws -> Set<CaptureID>
    /// The keys of the records that were announced, in order.
    func announced() async throws -> [String]
    /// The uploads that have an intake.
    func intakeIDs() async throws -> Set<CaptureID>
    /// The capture that the upload was left to.
    func brought(by upload: CaptureID) async throws -> CaptureID?
    /// The database cannot be asked from now on.
    func close() async

    var challenges: any ChallengeRepository { get }
    /// The same as another gateway has them.
    var otherChallenges: any ChallengeRepository { get }
    var registrations: any RegistrationRepository { get }
    /// Makes all challenges, and what became of them, so many hours older.
    func ageChallenges(byHours hours: Double) async throws
    /// How many there are.
    func challengeCount() async throws -> Int
    /// Stores what the verifier has decided.
    /// - Parameter device: the new device, if the outcome is `registered`.
    func decide(_ outcome: RegistrationOutcome, on registration: RegistrationID, device: DeviceID?) async throws

    /// - Parameter seconds: how far the database's clock is ahead of the gateway's.
    func uploads(databaseAhead seconds: Double) -> any UploadRepository
    var upkeep: any UploadUpkeepRepository { get }
    /// Ends the time of the upload, or that for which it is kept.
    func expire(_ upload: UploadID) async throws
    /// The uploads whose folders are to be emptied by upload-sync.
    func folders() async throws -> Set<UploadID>

    var verifications: any VerificationRepository { get }
    var media: any MediaObjectRepository { get }
    var records: any StoredRecordRepository { get }
    /// Stores a complete capture of a file with `Samples.digest`, made at `Samples.captured` by a device of its own.
    /// - Parameter flags: what a hash-only capture shares, without its place; `nil` for one with media.
    func insertComplete(
        _ package: EvidencePackage, _ confidence: ConfidenceLevel, at time: Date, sharing flags: MetadataFlags?
    ) async throws -> CaptureID
    /// Publishes an object of the capture, with `Samples.copyDigest`.
    func publish(_ name: MediaName, of capture: CaptureID) async throws
    /// Notes the Content Credentials that were made for the capture, at `Samples.received`.
    func sign(_ capture: CaptureID, with store: StoreIdentity) async throws
    /// Withdraws a complete capture.
    func withdrawComplete(_ capture: CaptureID) async throws
    /// Makes a statement about the capture; the last one counts.
    func state(_ kind: Statement.Kind, on capture: CaptureID) async throws
    /// In order.
    func loggedVerifications() async throws -> [LoggedVerification]
    /// Makes what was logged so many days older.
    func ageVerifications(days: Int) async throws

    /// - Parameter rows: how many buckets there may be.
    func buckets(atMost rows: Int) -> any TokenBuckets
    /// The same as another gateway has them.
    var otherBuckets: any TokenBuckets { get }
    /// As if all buckets had been used so many seconds earlier.
    func ageBuckets(by seconds: Double) async throws
    /// Limit and subject of each bucket that is there.
    func bucketNames() async throws -> Set<String>
}

/// A lookup as it is logged.
struct LoggedVerification: Equatable {
    let method: VerificationMethod
    let digest: ContentDigest
    let network: String
    let status: String
    let capture: CaptureID?
}

extension GatewayRig {
    /// Records a capture as the gateway does: its intake is opened first.
    func record(
        _ id: CaptureID, _ submission: (any CaptureSubmitting)? = nil, by device: DeviceID, begun: ContinuousClock.Instant = .now
    ) async throws -> Recorded {
        try await intakes.open(id, device: device)
        return try await captures.record(
            id, submission ?? CaptureRepositoryTests.submission(), device: device, begun: begun, receivedAt: now)
    }

    /// Stores a complete capture with media.
    func insertComplete(_ package: EvidencePackage, _ confidence: ConfidenceLevel, at time: Date) async throws -> CaptureID {
        try await insertComplete(package, confidence, at: time, sharing: nil)
    }

    var captures: any CaptureRepository { captures(databaseAhead: 0) }
    var uploads: any UploadRepository { uploads(databaseAhead: 0) }
    var buckets: any TokenBuckets { buckets(atMost: 1_000_000) }
}
