import CaptureProtocol
import Foundation
import ManifestStore
import Models
import TransparencyLog

@testable import Gateway

/// The repositories in memory.
struct MemoryRig: GatewayRig {
    let rows = MemoryCaptures()
    private let held = MemoryTokenBuckets()
    private let files = MemoryVerifications()
    private let bodies: MemoryUploads
    private let registry = MemoryChallenges()
    private let registered = MemoryDevices()

    init() { bodies = MemoryUploads(of: rows) }

    func captures(databaseAhead seconds: Double) -> any CaptureRepository {
        rows.set(ahead: seconds)
        return rows
    }
    var intakes: any IntakeRepository { rows }
    var withdrawals: any WithdrawalRepository { rows }
    var devices: any DeviceRepository { registered }
    func insertDevice() async throws -> DeviceID {
        let id = DeviceID()
        registered.add(
            KnownDevice(
                id: id, requestKey: (algorithm: .ed25519, key: [UInt8](repeating: 2, count: 32)), attestedKey: nil, appID: nil,
                isRevoked: false))
        return id
    }
    func insert(_ device: KnownDevice) async throws { registered.add(device) }
    func set(isRevoked: Bool, of device: DeviceID) async throws { registered.set(isRevoked: isRevoked, of: device) }
    func fail(_ capture: CaptureID) async throws { rows.set(.failed, of: capture) }
    func answer(_ part: EvidencePart, of capture: CaptureID, isGivenUp: Bool) async throws {
        rows.answer(part, of: capture, isGivenUp: isGivenUp)
    }
    func captureIDs() async throws -> Set<CaptureID> { Set(rows.now.captures.keys) }
    func announced() async throws -> [String] { rows.now.announced + registry.announced.map(\.description) }
    func intakeIDs() async throws -> Set<CaptureID> { Set(rows.now.intakes.keys) }
    func brought(by upload: CaptureID) async throws -> CaptureID? { rows.now.intakes[upload]?.brings }

    func close() async { rows.fail(with: .unreachable) }

    var challenges: any ChallengeRepository { registry }
    var otherChallenges: any ChallengeRepository { registry }
    var registrations: any RegistrationRepository { registry }
    func ageChallenges(byHours hours: Double) async throws { registry.advance(by: hours * 3600) }
    func challengeCount() async throws -> Int { registry.count }
    func decide(_ outcome: RegistrationOutcome, on registration: RegistrationID, device: DeviceID?) async throws {
        registry.decide(outcome, on: registration, device)
    }

    func uploads(databaseAhead seconds: Double) -> any UploadRepository {
        bodies.set(ahead: seconds)
        return bodies
    }
    var upkeep: any UploadUpkeepRepository { bodies }
    func expire(_ upload: UploadID) async throws { bodies.expire(upload) }
    func folders() async throws -> Set<UploadID> { bodies.folders }

    var verifications: any VerificationRepository { files }
    var media: any MediaObjectRepository { files }
    var records: any StoredRecordRepository { files }
    func insertComplete(
        _ package: EvidencePackage, _ confidence: ConfidenceLevel, at time: Date, sharing flags: MetadataFlags?
    ) async throws -> CaptureID {
        files.add(package, confidence, at: time, sharing: flags)
    }
    func publish(_ name: MediaName, of capture: CaptureID) async throws { files.publish(name, of: capture) }
    func sign(_ capture: CaptureID, with store: StoreIdentity) async throws { files.sign(capture, with: store) }
    func withdrawComplete(_ capture: CaptureID) async throws { files.withdraw(capture, at: Date()) }
    func state(_ kind: Statement.Kind, on capture: CaptureID) async throws { files.note(kind, on: capture) }
    func loggedVerifications() async throws -> [LoggedVerification] { files.logged }
    func ageVerifications(days: Int) async throws { files.age(days: days) }

    func buckets(atMost rows: Int) -> any TokenBuckets {
        held.allow(rows: rows)
        return held
    }
    var otherBuckets: any TokenBuckets { held }
    func ageBuckets(by seconds: Double) async throws { held.age(by: seconds) }
    func bucketNames() async throws -> Set<String> { held.names }
}
