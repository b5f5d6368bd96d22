import CaptureProtocol
import Delivery
import Foundation
import Models
import Persistence

/// Identifies an upload inside the system; outside, its address does.
struct UploadID: UUIDIdentifier {
    let uuid: UUID
    init(_ uuid: UUID) { self.uuid = uuid }
}

/// A row of `uploads`.
struct Upload: Sendable {
    enum State: String, Sendable {
        case open, done
        /// Cancelled, expired, replaced or refused.
        case ended
    }

    let id: UploadID
    /// The kind of capture that its body must contain.
    let type: CaptureType
    let device: DeviceID
    let version: InteropVersion
    let contentType: String
    let digest: ContentDigest
    /// The length of the whole body, in bytes.
    let length: Int64
    /// How much of the body is stored.
    let offset: Int64
    let epoch: Int64
    /// The gateway instance that is adding to it.
    let runner: UUID?
    let state: State
    let answer: UploadAnswer?
    /// When the last byte was stored.
    let receivedAt: Date?
    let expiresAt: Date

    /// How long an upload stays open.
    static let lifetimeSeconds = 24 * 3600

    /// Whether all bytes are stored.
    var isFull: Bool { offset == length }

    /// Whole seconds until it expires, not negative.
    func seconds(at now: Date) -> Int { max(0, Int(expiresAt.timeIntervalSince(now).rounded(.down))) }
}

extension Upload {
    static let columns: SQL = """
        id, type, device_id, interop_version, content_type, body_sha256, length_bytes, offset_bytes, epoch, runner, state, answer,
        received_at, expires_at
        """

    init(_ row: Row) throws {
        id = UploadID(try row.get("id", as: UUID.self))
        type = try row.word("type")
        device = DeviceID(try row.get("device_id", as: UUID.self))
        version = try row.word("interop_version")
        contentType = try row.get("content_type")
        digest = try row.digest("body_sha256")
        length = try row.get("length_bytes")
        offset = try row.get("offset_bytes")
        epoch = try row.get("epoch")
        runner = try row.getOptional("runner")
        state = try row.word("state")
        answer = try row.getOptional("answer", as: PostgresJSON.self)?.decode(UploadAnswer.self)
        receivedAt = try row.getOptional("received_at")
        expiresAt = try row.get("expires_at")
    }
}

/// A piece of a body, stored as an object.
struct UploadSegment: Sendable {
    let key: String
    let sizeBytes: Int64

    static func key(_ upload: UploadID, start: Int64, epoch: Int64) -> String {
        ObjectPrefix.incoming(upload.uuid) + "body/\(start)-\(epoch)"
    }
}

extension UploadSegment {
    init(_ row: Row) throws {
        key = try row.get("object_key")
        sizeBytes = try row.get("size_bytes")
    }
}
