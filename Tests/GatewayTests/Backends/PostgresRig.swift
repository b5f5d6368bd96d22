import CaptureProtocol
import Delivery
import Foundation
import ManifestStore
import Models
import Persistence
import TestSupport
import TransparencyLog

@testable import Gateway

/// The repositories over PostgreSQL.
struct PostgresRig: GatewayRig {
    let database: PostgresPool
    /// Another gateway's.
    let other: PostgresPool

    init(pools: [PostgresPool]) { (database, other) = (pools[0], pools[1]) }

    func captures(databaseAhead seconds: Double) -> any CaptureRepository {
        PostgresCaptureRepository(database: database, outbox: Outbox(.gateway)) { Date().addingTimeInterval(-seconds) }
    }
    var intakes: any IntakeRepository { PostgresIntakeRepository(database: database) }
    var withdrawals: any WithdrawalRepository { PostgresWithdrawalRepository(database: database) }

    var devices: any DeviceRepository { PostgresDeviceRepository(database: database) }
    func insertDevice() async throws -> DeviceID { try await CaptureRepositoryTests.insertDevice(database) }

    func insert(_ device: KnownDevice) async throws {
        _ = try await database.query(
            """
            INSERT INTO devices (id, platform, model, has_lidar, attestation_level, attestation_failure, key_id, public_key,
                request_key_algorithm, request_key, app_id, attestation_object, registered_at, revoked_at)
            VALUES (\(device.id.uuid), 'ios', 'iPhone 15 Pro', true, \(device.isVerified ? "secure_enclave" : "unverified"),
                \(device.isVerified ? nil : "x"), \(ContentDigest(of: Array(device.id.description.utf8)).bytes), \(device.attestedKey),
                \(device.requestKey?.algorithm.rawValue), \(device.requestKey?.key), \(device.appID), \([UInt8]([1])), now(),
                \(device.isRevoked ? now : nil))
            """)
    }

    func set(isRevoked: Bool, of device: DeviceID) async throws {
        _ = try await database.query("UPDATE devices SET revoked_at = \(isRevoked ? now : nil) WHERE id = \(device.uuid)")
    }

    func fail(_ capture: CaptureID) async throws {
        _ = try await database.query("UPDATE captures SET status = 'failed', failure = 'x' WHERE id = \(capture.uuid)")
    }

    func answer(_ part: EvidencePart, of capture: CaptureID, isGivenUp: Bool) async throws {
        _ = try await database.query(
            """
            INSERT INTO evidence_parts (capture_id, part, outcome, reason, result)
            VALUES (\(capture.uuid), \(part.rawValue), \(isGivenUp ? "error" : "done"), \(isGivenUp ? "x" : nil),
                \(isGivenUp ? nil : "{}")::jsonb)
            """)
    }

    func captureIDs() async throws -> Set<CaptureID> { try await ids("SELECT id FROM captures") }

    func announced() async throws -> [String] {
        try await database.query("SELECT record_key FROM gateway_outbox ORDER BY id").map { try $0.get("record_key") }
    }

    func intakeIDs() async throws -> Set<CaptureID> { try await ids("SELECT id FROM intakes") }

    func brought(by upload: CaptureID) async throws -> CaptureID? {
        let rows = try await database.query("SELECT brings FROM intakes WHERE id = \(upload.uuid)")
        return try rows.first?.getOptional("brings", as: UUID.self).map { CaptureID($0) }
    }

    func close() async { await database.shutdown() }

    private func ids(_ statement: SQL) async throws -> Set<CaptureID> {
        Set(try await database.query(statement).map { CaptureID(try $0.get("id", as: UUID.self)) })
    }

    var challenges: any ChallengeRepository { PostgresChallengeRepository(database: database, outbox: Outbox(.gateway)) }
    var otherChallenges: any ChallengeRepository { PostgresChallengeRepository(database: other, outbox: Outbox(.gateway)) }
    var registrations: any RegistrationRepository { PostgresRegistrationRepository(database: database) }

    func ageChallenges(byHours hours: Double) async throws {
        let step: SQL = "\(hours)::float8 * interval '1 hour'"
        _ = try await database.query(
            """
            UPDATE challenges SET created_at = created_at - \(step), expires_at = expires_at - \(step),
                consumed_at = consumed_at - \(step), announced_at = announced_at - \(step)
            """)
    }

    func challengeCount() async throws -> Int { try await database.query("SELECT challenge FROM challenges").count }

    func decide(_ outcome: RegistrationOutcome, on registration: RegistrationID, device: DeviceID?) async throws {
        _ = try await database.query(
            "INSERT INTO registrations (id, outcome, device_id) VALUES (\(registration.uuid), \(outcome.rawValue), \(device?.uuid))")
    }

    func uploads(databaseAhead seconds: Double) -> any UploadRepository {
        PostgresUploadRepository(database: database) { Date().addingTimeInterval(-seconds) }
    }
    var upkeep: any UploadUpkeepRepository { PostgresUploadRepository(database: database) }

    func expire(_ upload: UploadID) async throws {
        _ = try await database.query("UPDATE uploads SET expires_at = now() WHERE id = \(upload.uuid)")
    }

    func folders() async throws -> Set<UploadID> {
        Set(
            try await database.query("SELECT id FROM intakes WHERE prefix = 'incoming/' || id || '/'")
                .map { UploadID(try $0.get("id", as: UUID.self)) })
    }

    var verifications: any VerificationRepository { PostgresVerificationRepository(database: database) }
    var media: any MediaObjectRepository { PostgresMediaObjectRepository(database: database) }
    var records: any StoredRecordRepository { PostgresStoredRecordRepository(database: database) }
    private var site: SiteDatabase { SiteDatabase(pool: database) }

    func insertComplete(
        _ package: EvidencePackage, _ confidence: ConfidenceLevel, at time: Date, sharing flags: MetadataFlags?
    ) async throws -> CaptureID {
        try await site.insertCapture(
            of: try await site.insertDevice(), short: ShortID.random(), package, confidence, at: time, sharing: flags)
    }

    func publish(_ name: MediaName, of capture: CaptureID) async throws { try await site.insertMedia(capture, name.rawValue) }

    func sign(_ capture: CaptureID, with store: StoreIdentity) async throws {
        _ = try await database.query(
            """
            INSERT INTO content_credentials
                (capture_id, manifest_id, certificate_serial, signed_at, has_timestamp, issuer, leaf_sha256, manifest_sha256)
            VALUES (\(capture.uuid), \(store.label), '1', \(Samples.received), false, \(MemoryVerifications.issuer),
                \(store.leafDigest.bytes), \(store.digest.bytes))
            """)
    }

    func withdrawComplete(_ capture: CaptureID) async throws {
        _ = try await database.query("SELECT rial_withdraw(\(capture.uuid))")
    }

    func state(_ kind: Statement.Kind, on capture: CaptureID) async throws {
        let made = try await database.query("SELECT commitment FROM statements WHERE capture_id = \(capture.uuid)")
        try await site.insertStatement(on: capture, kind, sequence: made.count)
    }

    func loggedVerifications() async throws -> [LoggedVerification] {
        try await database.query(
            "SELECT method, file_sha256, client_network, status, capture_id FROM verification_logs ORDER BY id"
        ).compactMap { row in
            guard let method = VerificationMethod(rawValue: try row.get("method")),
                let digest = ContentDigest(bytes: try row.get("file_sha256", as: [UInt8].self))
            else { return nil }
            return LoggedVerification(
                method: method, digest: digest, network: try row.get("client_network"), status: try row.get("status"),
                capture: try row.getOptional("capture_id", as: UUID.self).map { CaptureID($0) })
        }
    }

    func ageVerifications(days: Int) async throws {
        _ = try await database.query("UPDATE verification_logs SET asked_at = asked_at - make_interval(days => \(days)::int)")
    }

    func buckets(atMost rows: Int) -> any TokenBuckets { PostgresTokenBuckets(database: database, maximumRows: rows) }
    var otherBuckets: any TokenBuckets { PostgresTokenBuckets(database: other) }

    func ageBuckets(by seconds: Double) async throws {
        _ = try await database.query("UPDATE rate_limits SET updated_at = updated_at - \(seconds)::float8 * interval '1 second'")
    }

    func bucketNames() async throws -> Set<String> {
        Set(try await database.query("SELECT bucket FROM rate_limits").map { try $0.get("bucket", as: String.self) })
    }
}
