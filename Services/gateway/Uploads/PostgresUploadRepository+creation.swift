import CaptureProtocol
import Foundation
import Models
import Observability
import Persistence

extension PostgresUploadRepository {
    /// The maximum number of open uploads of a device.
    static let maximumOpen = 10
    private static let lifetime: SQL = "interval '\(unescaped: String(Upload.lifetimeSeconds)) seconds'"

    func create(
        _ offer: UploadOffer, _ type: CaptureType, contentType: String, device: DeviceID, token: UploadToken, runner: UUID?
    ) async throws -> UploadCreation {
        let creation: UploadCreation = try await database.withTransaction { connection in
            try await connection.lock("uploads of \(device)")
            while true {
                let known = try await Self.known(offer.digest, type, device, on: connection)
                if let (upload, answer) = known.recorded {
                    let moved = try await Self.move(upload, to: token, offer.version, on: connection)
                    return .recorded(moved, answer)
                }
                if let upload = known.open {
                    if offer.isEmpty, !offer.isComplete, upload.length == offer.length, upload.contentType == contentType {
                        return .found(try await Self.move(upload, to: token, offer.version, on: connection))
                    }
                    // One that is not open any more may have become a capture.
                    guard try await !connection.query(UploadEnding.statement(upload.id.uuid)).isEmpty else { continue }
                }
                try await Self.checkOpen(device, on: connection)
                let upload = try await Self.insert(offer, type, contentType, device, token, runner, on: connection)
                return .new(upload, replaced: known.open?.id)
            }
        }
        FailPoint.reached("gateway.upload.created")
        return creation
    }

    private static nonisolated(nonsending) func insert(
        _ offer: UploadOffer, _ type: CaptureType, _ contentType: String, _ device: DeviceID, _ token: UploadToken, _ runner: UUID?,
        on connection: PostgresConnection
    ) async throws -> Upload {
        let id = UploadID()
        let prefix = ObjectPrefix.incoming(id.uuid)
        let rows = try await connection.query(
            """
            WITH named AS (INSERT INTO intakes (id, device_id, prefix) VALUES (\(id.uuid), \(device.uuid), \(prefix)))
            INSERT INTO uploads (
                id, type, token_sha256, device_id, interop_version, content_type, body_sha256, length_bytes, epoch, runner, running_since,
                expires_at)
            VALUES (\(id.uuid), \(type.rawValue), \(token.digest.bytes), \(device.uuid), \(offer.version.rawValue), \(contentType),
                \(offer.digest.bytes), \(offer.length), \(runner == nil ? 0 : 1), \(runner),
                CASE WHEN \(runner)::uuid IS NULL THEN NULL ELSE now() END, now() + \(Self.lifetime))
            RETURNING \(Upload.columns)
            """)
        guard let row = rows.first else { throw PostgresError(code: .decoding, message: "an upload was not inserted") }
        return try Upload(row)
    }

    private static nonisolated(nonsending) func known(
        _ digest: ContentDigest, _ type: CaptureType, _ device: DeviceID, on connection: PostgresConnection
    ) async throws -> (open: Upload?, recorded: (Upload, UploadAnswer)?) {
        var found: (open: Upload?, recorded: (Upload, UploadAnswer)?) = (nil, nil)
        let rows = try await connection.query(
            """
            SELECT \(Upload.columns), (SELECT status FROM captures WHERE captures.id = uploads.capture_id) AS capture_status
            FROM uploads WHERE device_id = \(device.uuid) AND body_sha256 = \(digest.bytes) AND type = \(type.rawValue)
                AND state <> 'ended' AND expires_at > now()
            ORDER BY created_at DESC LIMIT 20
            """)
        for row in rows {
            let upload = try Upload(row)
            if upload.state == .open { found.open = found.open ?? upload }
            // The bytes of a failed capture are wanted once more.
            if let answer = upload.answer, let word = try row.getOptional("capture_status", as: String.self),
                let status = CaptureStatus(rawValue: word), status == .complete || status == .processing
            {
                let capture = AcceptedCapture(
                    captureID: answer.capture.captureID, type: answer.capture.type, status: status,
                    verificationURL: answer.capture.verificationURL)
                found.recorded = found.recorded ?? (upload, UploadAnswer(isNew: false, capture: capture))
            }
        }
        return found
    }

    /// Gives the upload a new address: only the hash of the old one is stored, so its text cannot be sent again.
    private static nonisolated(nonsending) func move(
        _ upload: Upload, to token: UploadToken, _ version: InteropVersion, on connection: PostgresConnection
    ) async throws -> Upload {
        let rows = try await connection.query(
            """
            UPDATE uploads SET token_sha256 = \(token.digest.bytes), interop_version = \(version.rawValue) WHERE id = \(upload.id.uuid)
            RETURNING \(Upload.columns)
            """)
        guard let row = rows.first else { throw UploadError.gone }
        return try Upload(row)
    }

    private static nonisolated(nonsending) func checkOpen(_ device: DeviceID, on connection: PostgresConnection) async throws {
        let rows = try await connection.query(
            """
            SELECT count(*) AS open, ceil(extract(epoch FROM min(expires_at) - now()))::int8 AS seconds
            FROM uploads WHERE device_id = \(device.uuid) AND state = 'open' AND expires_at > now()
            """)
        guard let row = rows.first, try row.get("open", as: Int.self) >= Self.maximumOpen else { return }
        throw UploadError.tooMany(retrySeconds: Int(clamping: try row.getOptional("seconds", as: Int64.self) ?? 1))
    }
}
