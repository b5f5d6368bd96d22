import CaptureProtocol
import Delivery
import Evidence
import Foundation
import Logging
import Models
import Persistence
import TestSupport
import Testing
import TransparencyLog

@testable import EvidenceAssembler

/// The kind of the service's repositories.
enum Backend: String, CustomTestStringConvertible {
    case memory, postgres

    /// PostgreSQL only if it is configured.
    static var available: [Backend] { TestSchema.isConfigured ? [.memory, .postgres] : [.memory] }

    var testDescription: String { rawValue }

    func rig() throws -> any AssemblerRig {
        switch self {
        case .memory: MemoryRig()
        case .postgres: PostgresRig(database: try #require(TestSchema.shared))
        }
    }
}

/// The state of a capture as its readers see it.
struct CaptureState: Equatable {
    var status = CaptureStatus.processing
    var failure: String?
    var package: EvidencePackage?
    var objects: [MediaName: String] = [:]
}

/// The service's handlers over one backend, and the tests' access to that backend.
protocol AssemblerRig: Sendable {
    associatedtype Captures: AssemblyRepository
    var captures: Captures { get }
    var credentials: any CredentialRepository { get }
    var statements: any StatementRepository { get }
    var reassessments: any ReassessmentRepository { get }
    var store: MemoryObjectStore { get }
    var issuer: ScriptedIssuer { get }
    /// Of all that the process does.
    var underWay: CapturesUnderWay { get }
    func ledger(_ task: String) -> any TaskLedger
    /// As if what the ledgers have in hand had been taken long ago.
    func ageLedgers() async throws

    func inTransaction(_ body: @escaping @Sendable (Captures.Transaction) async throws -> Void) async throws
    /// Stores a capture, as the gateway does.
    func accept(_ announcement: CaptureAnnouncement) async throws
    /// Stores the result of a part, as its service does.
    func answer(_ part: EvidencePart, _ result: PostgresJSON?, failure: FailureReason?, of capture: CaptureID) async throws
    /// Makes the capture's row say that it was captured at another time.
    func redate(_ capture: CaptureID, to time: SharedTime) async throws
    /// Makes the last part older.
    func age(_ capture: CaptureID, seconds: Int) async throws
    func state(of capture: CaptureID) async throws -> CaptureState
    /// The announcements, in order.
    func announced(for capture: CaptureID) async throws -> [EvidenceAssembled]

    /// The statements about a capture, in order.
    func made(about capture: CaptureID) async throws -> [KeptStatement]
    /// Makes the capture one of a version that made no statements.
    func forgetStatements(about capture: CaptureID) async throws
    /// Records what an operator decides about a device.
    func decide(_ action: String, since: Date?, about device: DeviceID) async throws
    /// Makes what was decided about the device two days older.
    func ageDecisions(about device: DeviceID) async throws
    /// Enters statements into the published log, or into what is not published yet.
    func log(_ statements: [KeptStatement], isPublished: Bool) async throws
    /// Makes the statements two minutes older.
    func ageStatements(about capture: CaptureID) async throws
    /// Asks for a reassessment, as an operator does, for which depth-analyzer has measured this, or nothing yet.
    func request(reassessmentOf capture: CaptureID, measured: DepthFindings?) async throws
    /// What became of it; `nil` while it is due.
    func outcome(of capture: CaptureID) async throws -> String?

    /// Stores the credentials of a capture as a version did that recorded no digests.
    func add(undigested credentials: UndigestedCredentials) async throws
    /// The digests that were saved for these credentials since; `nil` if there are none.
    func digests(of capture: CaptureID) async throws -> CopyDigests?
}

/// The digests by which a signed copy is recognised.
struct CopyDigests: Equatable {
    let leaf: ContentDigest
    let manifest: ContentDigest
}

/// A statement as it is kept.
struct KeptStatement: Equatable {
    let statement: Statement
    let salt: Salt
    let commitment: ContentDigest
    let notBefore: Date?
    let evidence: [UInt8]?
    /// The digests by name.
    let raw: [String: String]?
    let rawSalt: [UInt8]?
    let origin: String?
    let leafIndex: Int?
}

/// Loaded once.
private let cities = CityNames.bundled()

extension AssemblerRig {

    func assembly(scratchFolder: String = FileManager.default.temporaryDirectory.path) throws -> CaptureAssembly<Captures> {
        CaptureAssembly(
            captures: captures, storage: store, credentials: issuer, cards: try ShareCardMaker(storage: store, logger: .quiet),
            cities: cities, scratchFolder: scratchFolder, underWay: underWay)
    }

    func age(_ capture: CaptureID) async throws { try await age(capture, seconds: 10) }

    /// One run of the periodic retry.
    func retryUnsigned(scratchFolder: String = FileManager.default.temporaryDirectory.path) async throws {
        let assembly = try assembly(scratchFolder: scratchFolder)
        try await UnsignedCaptures(assembly: assembly, ledger: ledger("unsigned captures"), logger: .quiet).retry()
    }
    func retryWaiting() async throws {
        try await WaitingCredentials(
            captures: credentials, storage: store, credentials: issuer, ledger: ledger("waiting credentials"), logger: .quiet
        ).retry()
    }

    func stateUnstated() async throws { try await UnstatedCaptures(statements: statements, logger: .quiet).state() }
    func noteLogged() async throws { try await LoggedStatements(statements: statements).note() }
    private var revision: DeviceRevision { DeviceRevision(statements: statements, logger: .quiet) }
    func reviseDevices() async throws { try await RevisedDevices(revision: revision).look() }

    func reassess() async throws {
        try await CaptureReassessment(
            captures: reassessments, storage: store, cards: try ShareCardMaker(storage: store, logger: .quiet), cities: cities,
            logger: .quiet
        ).run()
    }

    func deliver(revisionOf device: DeviceID, event: EventID = EventID()) async throws {
        try await ReviseDevice(revision: revision).handle(
            DeviceRevoked(deviceID: device), MessageContext(eventID: event, topic: .deviceRevoked, logger: .quiet))
    }

    func deliver(logOf capture: CaptureID, event: EventID = EventID()) async throws {
        try await NoteLogged(statements: statements).handle(
            EvidenceLogged(captureID: capture), MessageContext(eventID: event, topic: .evidenceLogged, logger: .quiet))
    }

    /// An accepted capture with all its parts, complete.
    func completed(_ capture: SampleCapture) async throws -> SampleCapture {
        try await accept(capture.announcement)
        for part in EvidencePart.allCases { try await finish(part, of: capture) }
        return capture
    }

    /// Delivers the event of one part.
    func deliver(_ part: EvidencePart, of capture: CaptureID, event: EventID = EventID()) async throws {
        switch part {
        case .attestation: try await deliver(AttestationAppraised.done(capture), event)
        case .depth: try await deliver(DepthAnalyzed.done(capture), event)
        case .media: try await deliver(MediaSynced.done(capture), event)
        }
    }

    private func deliver<Part: PartEvent>(_ message: Part, _ event: EventID) async throws {
        try await AssembleEvidence<Part, Captures>(assembly: try assembly())
            .handle(message, MessageContext(eventID: event, topic: Part.topic, logger: .quiet))
    }

    /// Stores the findings of a part and delivers its event.
    func finish(_ part: EvidencePart, of capture: SampleCapture, event: EventID = EventID()) async throws {
        try await answer(part, try capture.result(of: part), failure: nil, of: capture.id)
        try await deliver(part, of: capture.id, event: event)
    }

    func giveUp(_ part: EvidencePart, of capture: CaptureID, _ reason: FailureReason) async throws {
        try await answer(part, nil, failure: reason, of: capture)
        try await deliver(part, of: capture)
    }

    /// Dead-letters a record of the capture.
    func deadLetter(_ capture: CaptureID, _ reason: FailureReason) async throws {
        let handler = AssembleEvidence<MediaSynced, Captures>(assembly: try assembly())
        try await inTransaction { try await handler.giveUp(.done(capture), reason: reason, on: $0) }
    }

    /// An accepted capture with its media in the store, without findings.
    func capture(_ change: (inout SampleCapture) -> Void = { _ in }) async throws -> SampleCapture {
        var capture = try await SampleCapture(in: store)
        change(&capture)
        try await accept(capture.announcement)
        return capture
    }
}

/// The handlers with repositories in PostgreSQL.
struct PostgresRig: AssemblerRig {
    let database: PostgresPool
    let store = MemoryObjectStore()
    let issuer: ScriptedIssuer
    let underWay = CapturesUnderWay()

    init(database: PostgresPool) {
        self.database = database
        issuer = ScriptedIssuer(store)
    }

    var captures: PostgresAssemblyRepository {
        PostgresAssemblyRepository(database: database, outbox: Outbox(.evidenceAssembler), inbox: Inbox(.evidenceAssembler))
    }
    var credentials: any CredentialRepository { PostgresCredentialRepository(database: database, outbox: Outbox(.evidenceAssembler)) }
    var statements: any StatementRepository {
        PostgresStatementRepository(database: database, outbox: Outbox(.evidenceAssembler), inbox: Inbox(.evidenceAssembler))
    }
    var reassessments: any ReassessmentRepository {
        PostgresReassessmentRepository(database: database, outbox: Outbox(.evidenceAssembler))
    }

    func ledger(_ task: String) -> any TaskLedger { PostgresTaskLedger(.evidenceAssembler, task: task, database: database) }
    func ageLedgers() async throws {
        _ = try await database.query("UPDATE evidence_assembler_in_hand SET noted_at = noted_at - interval '301 seconds'")
    }

    func inTransaction(_ body: @escaping @Sendable (PostgresConnection) async throws -> Void) async throws {
        try await database.withTransaction(body)
    }

    func accept(_ announcement: CaptureAnnouncement) async throws {
        try await StoredCapture.insert(announcement, in: database)
    }

    func answer(_ part: EvidencePart, _ result: PostgresJSON?, failure: FailureReason?, of capture: CaptureID) async throws {
        _ = try await database.query(
            """
            INSERT INTO \(unescaped: part.table) (capture_id, result, failure)
            VALUES (\(capture.uuid), \(result), \(failure?.rawValue))
            ON CONFLICT (capture_id) DO UPDATE SET result = EXCLUDED.result, failure = EXCLUDED.failure
            """)
    }

    func redate(_ capture: CaptureID, to time: SharedTime) async throws {
        _ = try await database.query(
            """
            UPDATE captures SET captured_at = \(time.date), captured_precision = \(time.precision.rawValue) WHERE id = \(capture.uuid)
            """)
    }

    func age(_ capture: CaptureID, seconds: Int) async throws {
        _ = try await database.query(
            """
            UPDATE evidence_parts SET received_at = received_at - \(seconds) * interval '1 second' WHERE capture_id = \(capture.uuid)
            """)
    }

    func state(of capture: CaptureID) async throws -> CaptureState {
        let rows = try await database.query("SELECT status, failure, evidence FROM captures WHERE id = \(capture.uuid)")
        let row = try #require(rows.first)
        let objects = try await database.query("SELECT name, object_key FROM media_objects WHERE capture_id = \(capture.uuid)")
        return CaptureState(
            status: try #require(CaptureStatus(rawValue: try row.get("status"))), failure: try row.getOptional("failure"),
            package: try row.getOptional("evidence", as: PostgresJSON.self)?.decode(EvidencePackage.self),
            objects: Dictionary(
                uniqueKeysWithValues: try objects.map {
                    (try #require(MediaName(rawValue: try $0.get("name"))), try $0.get("object_key"))
                }))
    }

    func announced(for capture: CaptureID) async throws -> [EvidenceAssembled] {
        try await database.query(
            "SELECT value FROM evidence_assembler_outbox WHERE record_key = \(capture.description) ORDER BY id"
        ).map { try WireJSON.decode(EvidenceAssembled.self, from: try $0.get("value", as: [UInt8].self)) }
    }

    func made(about capture: CaptureID) async throws -> [KeptStatement] {
        try await database.query(
            """
            SELECT statement, salt, commitment, not_before, evidence, raw, raw_salt, origin, leaf_index, kind, subject, sequence, time
            FROM statements WHERE capture_id = \(capture.uuid) ORDER BY sequence
            """
        ).map { row in
            let statement = try Statement(bytes: try row.get("statement", as: [UInt8].self))
            // The columns say what the statement says.
            #expect(try row.get("kind") == statement.kind.rawValue && row.get("subject") == statement.subject.bytes)
            #expect(try row.get("sequence") == statement.sequence)
            // As made, or two minutes older by ``ageStatements(about:)``.
            #expect([0, 120].contains(statement.time - (try row.get("time", as: Int.self))))
            return KeptStatement(
                statement: statement, salt: try #require(Salt(bytes: try row.get("salt", as: [UInt8].self))),
                commitment: try #require(ContentDigest(bytes: try row.get("commitment", as: [UInt8].self))),
                notBefore: try row.getOptional("not_before"), evidence: try row.getOptional("evidence"),
                raw: try row.getOptional("raw", as: PostgresJSON.self)?.decode([String: String].self),
                rawSalt: try row.getOptional("raw_salt"), origin: try row.getOptional("origin"),
                leafIndex: try row.getOptional("leaf_index"))
        }
    }

    func forgetStatements(about capture: CaptureID) async throws {
        _ = try await database.query("DELETE FROM statements WHERE capture_id = \(capture.uuid)")
        _ = try await database.query("UPDATE captures SET stated_at = NULL WHERE id = \(capture.uuid)")
    }

    /// Withdraws it, and `upload-sync` has erased it.
    func erase(_ capture: CaptureID) async throws {
        _ = try await database.query("SELECT rial_withdraw(\(capture.uuid))")
        _ = try await database.query(
            "UPDATE withdrawals SET erased_at = now(), erase_next_at = now() + interval '1 hour' WHERE capture_id = \(capture.uuid)")
    }

    /// Whether `upload-sync` looks for objects of the withdrawn capture now.
    func isLookedFor(_ capture: CaptureID) async throws -> Bool {
        let due = try await database.query(
            "SELECT FROM withdrawals WHERE capture_id = \(capture.uuid) AND erased_at IS NULL AND erase_next_at <= now()")
        return !due.isEmpty
    }

    func decide(_ action: String, since: Date?, about device: DeviceID) async throws {
        _ = try await database.query(
            "INSERT INTO device_events (device_id, action, by, since) VALUES (\(device.uuid), \(action), 'tests', \(since))")
    }

    func ageDecisions(about device: DeviceID) async throws {
        _ = try await database.query("UPDATE device_events SET at = at - interval '2 days' WHERE device_id = \(device.uuid)")
    }

    func log(_ statements: [KeptStatement], isPublished: Bool) async throws {
        let origin = "rial.example/log/2026"
        _ = try await database.query(
            """
            INSERT INTO log_shards (origin, shard, log_key, size, root, published_size)
            VALUES (\(origin), '2026', 'key', 2000, sha256(''), 1000) ON CONFLICT DO NOTHING
            """)
        for kept in statements {
            let leaf = kept.statement.leaf(salt: kept.salt).bytes
            _ = try await database.query(
                """
                INSERT INTO log_entries (origin, leaf_index, leaf, leaf_hash, commitment)
                SELECT \(origin), (SELECT count(*) FROM log_entries) + \(isPublished ? 1 : 1500), \(leaf), sha256('\\x00' || \(leaf)),
                    \(kept.commitment.bytes)
                """)
        }
    }

    func ageStatements(about capture: CaptureID) async throws {
        _ = try await database.query("UPDATE statements SET time = time - 120 WHERE capture_id = \(capture.uuid)")
    }

    func request(reassessmentOf capture: CaptureID, measured: DepthFindings?) async throws {
        let depth = try measured.map { try PostgresJSON(encoding: $0) }
        _ = try await database.query(
            """
            INSERT INTO reassessments (capture_id, depth) VALUES (\(capture.uuid), \(depth)) ON CONFLICT (capture_id)
            DO UPDATE SET depth = EXCLUDED.depth, settled_at = NULL, outcome = NULL
            """)
    }

    func outcome(of capture: CaptureID) async throws -> String? {
        try await database.query("SELECT outcome FROM reassessments WHERE capture_id = \(capture.uuid)").first?.getOptional("outcome")
    }

    func add(undigested credentials: UndigestedCredentials) async throws {
        _ = try await database.query(
            """
            INSERT INTO content_credentials (capture_id, manifest_id, certificate_serial, signed_at, has_timestamp)
            VALUES (\(credentials.capture.uuid), \(credentials.manifestID), \(credentials.certificateSerial), now(), false)
            """)
        guard let manifest = credentials.manifest else { return }
        _ = try await database.query(
            """
            INSERT INTO media_objects (capture_id, name, object_key, sha256, size_bytes, content_type)
            VALUES (\(credentials.capture.uuid), \(MediaName.manifest.rawValue), \(manifest.key), \(manifest.sha256.bytes),
                \(manifest.sizeBytes), \(manifest.contentType))
            """)
    }

    func digests(of capture: CaptureID) async throws -> CopyDigests? {
        let rows = try await database.query(
            "SELECT leaf_sha256, manifest_sha256 FROM content_credentials WHERE capture_id = \(capture.uuid)")
        let row = try #require(rows.first)
        guard let leaf = try row.getOptional("leaf_sha256", as: [UInt8].self),
            let manifest = try row.getOptional("manifest_sha256", as: [UInt8].self)
        else { return nil }
        return CopyDigests(leaf: try #require(ContentDigest(bytes: leaf)), manifest: try #require(ContentDigest(bytes: manifest)))
    }
}
