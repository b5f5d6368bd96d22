public import CaptureProtocol
import Foundation
public import Models
public import Persistence

/// The rows of a capture and of its device, as the gateway writes them.
public struct StoredCapture: Sendable {
    public let id = CaptureID()
    public let announcement: CaptureAnnouncement

    /// The gateway's announcement of such a capture.
    public static func announcement(_ id: CaptureID, by device: DeviceID) -> CaptureAnnouncement {
        let photo = StoredMedia(key: "incoming/\(id)/photo", sha256: ContentDigest(of: [7]), sizeBytes: 1, contentType: "image/jpeg")
        return CaptureAnnouncement(
            captureID: id, deviceID: device,
            content: .photo(PhotoContent(photo: photo, depth: photo, photoThenDepth: nil, depthWidth: 2, depthHeight: 2)),
            metadata: Array("{}".utf8), assertion: nil, receivedAt: Date(timeIntervalSince1970: 1_790_000_000))
    }

    /// When it was captured, as the gateway writes it into the row; now if its metadata do not say.
    public static func capturedAt(_ announcement: CaptureAnnouncement) -> SharedTime {
        switch announcement.content {
        case .photo: .exact((try? CaptureMetadata.parse(announcement.metadata))?.capturedAt ?? Date())
        case .hashOnly(let payload): payload.capturedAt
        case .video: .exact((try? VideoMetadata.parse(announcement.metadata, isOriginalLayout: true))?.startedAt ?? Date())
        }
    }

    public init(in pool: PostgresPool) async throws {
        announcement = Self.announcement(id, by: DeviceID())
        try await Self.insert(announcement, in: pool)
    }

    /// Inserts the rows of a capture, which must not exist yet, and of its device.
    public static func insert(_ announcement: CaptureAnnouncement, in pool: PostgresPool) async throws {
        let id = announcement.captureID
        let kind = announcement.content.kind
        // Media is stored with a depth map; otherwise the row has what the payload shares.
        let unique = ContentDigest(of: Array(id.description.utf8)).bytes
        var (depth, assertion, flags): ([UInt8]?, [UInt8]?, PostgresJSON?) = (unique, nil, nil)
        if case .hashOnly(let payload) = announcement.content {
            (depth, assertion, flags) = (nil, unique, try PostgresJSON(encoding: payload.flags))
        }
        let captured = capturedAt(announcement)
        _ = try await pool.query(
            """
            INSERT INTO devices (id, platform, model, has_lidar, attestation_level, attestation_failure, key_id, request_key_algorithm,
                request_key, attestation_object, registered_at)
            VALUES (\(announcement.deviceID.uuid), 'ios', 'iPhone 16 Pro', true, 'unverified', 'malformed', \([UInt8(1)]), 'ed25519',
                \([UInt8(2)]), \([UInt8(3)]), now())
            ON CONFLICT (id) DO NOTHING
            """)
        _ = try await pool.query(
            """
            INSERT INTO captures (id, short_id, device_id, type, capture_mode, media_sha256, depth_sha256, assertion_sha256,
                captured_at, captured_precision, metadata_flags, uploaded_at, announcement)
            VALUES (\(id.uuid), \(String(id.description.filter { $0 != "-" }.prefix(8))), \(announcement.deviceID.uuid),
                \(kind.type.rawValue), \(kind.mode.rawValue), \(announcement.content.mediaHash.bytes), \(depth), \(assertion),
                \(captured.date), \(captured.precision.rawValue), \(flags), now(), \(PostgresJSON(encoding: announcement)))
            """)
    }
}
