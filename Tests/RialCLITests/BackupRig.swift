import CaptureProtocol
import Foundation
import Models
import Persistence
import Synchronization
import TestSupport
import Testing

@testable import RialCLI

/// Where the rows are.
enum Backend: String, CustomTestStringConvertible {
    case memory, postgres

    /// PostgreSQL only if it is configured.
    static var available: [Backend] { TestSchema.isConfigured ? [.memory, .postgres] : [.memory] }

    var testDescription: String { rawValue }

    func rig() throws -> any BackupRig {
        switch self {
        case .memory: MemoryBackupRig()
        case .postgres: PostgresBackupRig(database: try #require(TestSchema.shared))
        }
    }
}

/// What upload-sync has done with a capture's folder; each includes that it compared the media.
enum SyncStep: String {
    case synced = "synced_at"
    case swept = "derived_swept_at"
    case expired = "media_expired_at"
}

/// The rows as services write them, over one backend.
protocol BackupRig: Sendable {
    func read<T: Sendable>(_ body: @Sendable (any BackupRows) async throws -> T) async throws -> T

    /// A capture of a photo with depth that was received now, as ``StoredCapture`` announces it.
    func capture(_ status: CaptureStatus, failure: String?) async throws -> UUID
    /// A hash-only capture, as ``HashOnlySamples`` announces it, with what upload-sync stores of it.
    func hashOnly(_ status: CaptureStatus, receivedAt: Date) async throws -> (id: UUID, payload: NamedObject)
    func name(_ object: NamedObject, of capture: UUID) async throws
    func note(_ step: SyncStep, of capture: UUID) async throws
    /// upload-sync could not compare the media.
    func giveUpSync(of capture: UUID) async throws
    func move(_ capture: UUID, receivedAt: Date, completedAt: Date?) async throws
    /// The attestation of the capture's device was verified; elsewhere none was.
    func verifyDevice(of capture: UUID) async throws
    /// - Parameter uploads: that became the capture.
    func withdraw(_ capture: UUID, uploads: [UUID]) async throws
    func erase(_ capture: UUID) async throws

    /// Bytes of a capture that arrive now.
    func beginIntake(_ id: UUID) async throws
    /// They are another capture's, which is known.
    func bring(_ intake: UUID, to capture: UUID) async throws
    func abandon(_ intake: UUID) async throws
    /// An upload that can be resumed.
    func beginUpload(_ id: UUID) async throws
    func addSegment(to upload: UUID, at start: Int, sizeBytes: Int64, key: String) async throws
    func endUpload(_ id: UUID) async throws
    func emptyUpload(_ id: UUID) async throws

    func openShard(_ name: String) async throws
}

extension BackupRig {
    func capture(_ status: CaptureStatus = .processing) async throws -> UUID { try await capture(status, failure: nil) }

    func folder(_ kind: BackupFolder.Kind, _ id: UUID) async throws -> KnownFolder? {
        try await read { try await $0.folder(BackupFolder(kind, id)) }
    }
}

extension NamedObject {
    /// What upload-sync stores of a hash-only capture.
    fileprivate static func payload(of announcement: CaptureAnnouncement) -> NamedObject {
        NamedObject(
            name: "metadata.json", key: BackupFolder(.captures, announcement.captureID.uuid).prefix + "metadata.json",
            sizeBytes: Int64(announcement.metadata.count))
    }
}

struct MemoryBackupRig: BackupRig {
    let rows = MemoryBackupRows()

    func read<T: Sendable>(_ body: @Sendable (any BackupRows) async throws -> T) async throws -> T { try await body(rows) }

    func capture(_ status: CaptureStatus, failure: String?) async throws -> UUID {
        let announcement = StoredCapture.announcement(CaptureID(), by: DeviceID())
        let id = announcement.captureID.uuid
        let uploads = announcement.content.uploads.map { media, name in
            NamedObject(
                name: name.rawValue, key: BackupFolder(.captures, id).prefix + name.rawValue, elsewhere: media.key,
                sizeBytes: media.sizeBytes)
        }
        let now = Date()
        rows.state.withLock { state in
            state.devices.append(now)
            state.captures[id] = MemoryBackupRows.Capture(
                status: status, failure: failure, receivedAt: now, completedAt: status == .complete ? now : nil, uploads: uploads)
        }
        return id
    }

    func hashOnly(_ status: CaptureStatus, receivedAt: Date) throws -> (id: UUID, payload: NamedObject) {
        let announcement = try HashOnlySamples.announcement()
        let (id, payload) = (announcement.captureID.uuid, NamedObject.payload(of: announcement))
        rows.state.withLock {
            $0.captures[id] = MemoryBackupRows.Capture(status: status, receivedAt: receivedAt, payload: payload)
        }
        return (id, payload)
    }

    func name(_ object: NamedObject, of capture: UUID) { change(capture) { $0.objects.append(object) } }

    func note(_ step: SyncStep, of capture: UUID) {
        change(capture) { capture in
            capture.isSynced = true
            switch step {
            case .synced: break
            case .swept: capture.isSwept = true
            case .expired: capture.isExpired = true
            }
        }
    }

    func giveUpSync(of capture: UUID) {
        change(capture) { ($0.isSynced, $0.isGivenUp) = (true, true) }
    }

    func move(_ capture: UUID, receivedAt: Date, completedAt: Date?) {
        change(capture) { ($0.receivedAt, $0.completedAt) = (receivedAt, completedAt) }
    }

    func verifyDevice(of capture: UUID) { change(capture) { $0.isVerified = true } }

    func withdraw(_ capture: UUID, uploads: [UUID]) {
        rows.state.withLock { state in
            state.captures[capture] = MemoryBackupRows.Capture(status: .withdrawn)
            state.withdrawals[capture] = MemoryBackupRows.Withdrawal(withdrawnAt: Date(), uploads: uploads)
        }
    }

    func erase(_ capture: UUID) { rows.state.withLock { $0.withdrawals[capture]?.isErased = true } }
    func beginIntake(_ id: UUID) { rows.state.withLock { $0.intakes[id] = Date() } }
    func bring(_ intake: UUID, to capture: UUID) { abandon(intake) }
    func abandon(_ intake: UUID) { rows.state.withLock { _ = $0.idle.insert(intake) } }
    func beginUpload(_ id: UUID) { rows.state.withLock { $0.uploads[id] = MemoryBackupRows.Upload() } }

    func addSegment(to upload: UUID, at start: Int, sizeBytes: Int64, key: String) {
        rows.state.withLock {
            $0.uploads[upload]?.segments.append(NamedObject(name: "segment \(start)", key: key, sizeBytes: sizeBytes))
        }
    }

    func endUpload(_ id: UUID) { rows.state.withLock { $0.uploads[id]?.isOpen = false } }
    func emptyUpload(_ id: UUID) { rows.state.withLock { $0.uploads[id]?.isEmptied = true } }
    func openShard(_ name: String) { rows.state.withLock { _ = $0.shards.insert(name) } }

    private func change(_ capture: UUID, _ change: (inout MemoryBackupRows.Capture) -> Void) {
        rows.state.withLock { state in
            guard var changed = state.captures[capture] else { return }
            change(&changed)
            state.captures[capture] = changed
        }
    }
}

struct PostgresBackupRig: BackupRig {
    let database: PostgresPool

    func read<T: Sendable>(_ body: @Sendable (any BackupRows) async throws -> T) async throws -> T {
        try await database.withConnection { try await body(PostgresBackupRows(connection: $0)) }
    }

    func capture(_ status: CaptureStatus, failure: String?) async throws -> UUID {
        let id = try await StoredCapture(in: database).id.uuid
        let isComplete = status == .complete
        _ = try await database.query(
            """
            UPDATE captures SET status = \(status.rawValue), failure = \(failure), evidence = CASE WHEN \(isComplete) THEN '{}'::jsonb END,
                confidence_level = CASE WHEN \(isComplete) THEN 'high' END, completed_at = CASE WHEN \(isComplete) THEN now() END
            WHERE id = \(id)
            """)
        return id
    }

    func hashOnly(_ status: CaptureStatus, receivedAt: Date) async throws -> (id: UUID, payload: NamedObject) {
        let announcement = try HashOnlySamples.announcement()
        try await StoredCapture.insert(announcement, in: database)
        let id = announcement.captureID.uuid
        _ = try await database.query("UPDATE captures SET status = \(status.rawValue), uploaded_at = \(receivedAt) WHERE id = \(id)")
        return (id, NamedObject.payload(of: announcement))
    }

    func name(_ object: NamedObject, of capture: UUID) async throws {
        _ = try await database.query(
            """
            INSERT INTO media_objects (capture_id, name, object_key, sha256, size_bytes, content_type)
            VALUES (\(capture), \(object.name), \(object.key), \(ContentDigest(of: [1]).bytes), \(object.sizeBytes), 'image/jpeg')
            """)
    }

    func note(_ step: SyncStep, of capture: UUID) async throws {
        _ = try await database.query(
            """
            INSERT INTO sync_jobs (capture_id, result, synced_at) VALUES (\(capture), '{}', now()) ON CONFLICT (capture_id) DO NOTHING
            """)
        _ = try await database.query("UPDATE sync_jobs SET \(unescaped: step.rawValue) = now() WHERE capture_id = \(capture)")
        // What was found of media is forgotten with them.
        guard step == .expired else { return }
        _ = try await database.query("UPDATE sync_jobs SET result = NULL, synced_at = NULL WHERE capture_id = \(capture)")
    }

    func giveUpSync(of capture: UUID) async throws {
        _ = try await database.query(
            "INSERT INTO sync_jobs (capture_id, failure, synced_at) VALUES (\(capture), 'handling_failed', now())")
    }

    func move(_ capture: UUID, receivedAt: Date, completedAt: Date?) async throws {
        _ = try await database.query(
            "UPDATE captures SET uploaded_at = \(receivedAt), completed_at = \(completedAt) WHERE id = \(capture)")
    }

    func verifyDevice(of capture: UUID) async throws {
        let publicKey = [UInt8](repeating: 4, count: 65)
        _ = try await database.query(
            """
            UPDATE devices SET attestation_level = 'secure_enclave', attestation_failure = NULL, public_key = \(publicKey),
                key_id = uuid_send(id)
            WHERE id = (SELECT device_id FROM captures WHERE captures.id = \(capture))
            """)
    }

    func withdraw(_ capture: UUID, uploads: [UUID]) async throws {
        _ = try await database.query("SELECT rial_withdraw(\(capture), 'a reason')")
        _ = try await database.query("UPDATE withdrawals SET upload_ids = \(uploads) WHERE capture_id = \(capture)")
    }

    func erase(_ capture: UUID) async throws {
        _ = try await database.query("UPDATE withdrawals SET erased_at = now() WHERE capture_id = \(capture)")
    }

    func beginIntake(_ id: UUID) async throws {
        let device = try await StoredCapture(in: database).announcement.deviceID.uuid
        _ = try await database.query(
            "INSERT INTO intakes (id, device_id, prefix) VALUES (\(id), \(device), 'captures/' || \(id)::uuid || '/')")
    }

    func bring(_ intake: UUID, to capture: UUID) async throws {
        _ = try await database.query("UPDATE intakes SET brings = \(capture) WHERE id = \(intake)")
    }

    func abandon(_ intake: UUID) async throws {
        _ = try await database.query("UPDATE intakes SET abandoned_at = now() WHERE id = \(intake)")
    }

    func beginUpload(_ id: UUID) async throws {
        let device = try await StoredCapture(in: database).announcement.deviceID.uuid
        _ = try await database.query(
            """
            INSERT INTO uploads (id, type, token_sha256, device_id, interop_version, content_type, body_sha256, length_bytes, expires_at)
            VALUES (\(id), 'photo', sha256(uuid_send(\(id)::uuid)), \(device), 6, 'a/b', sha256(''), 10, now() + interval '1 day')
            """)
    }

    func addSegment(to upload: UUID, at start: Int, sizeBytes: Int64, key: String) async throws {
        _ = try await database.query(
            """
            INSERT INTO upload_segments (upload_id, start_bytes, size_bytes, object_key)
            VALUES (\(upload), \(start), \(sizeBytes), \(key))
            """)
    }

    func endUpload(_ id: UUID) async throws { _ = try await database.query("UPDATE uploads SET state = 'ended' WHERE id = \(id)") }
    func emptyUpload(_ id: UUID) async throws { _ = try await database.query("UPDATE uploads SET emptied_at = now() WHERE id = \(id)") }

    func openShard(_ name: String) async throws {
        _ = try await database.query(
            """
            INSERT INTO log_shards (origin, shard, log_key, size, root)
            VALUES (\("rial.example/log/\(name)"), \(name), \("key \(name)"), 0, sha256(''))
            """)
    }
}
