import CaptureProtocol
import Foundation
import Models
import Persistence
import Testing
import TestSupport

/// A capture's row, and the device that it needs, as the gateway leaves them.
struct StoredCapture: Sendable {
    let id = CaptureID()
    let announcement: CaptureAnnouncement

    init(in pool: PostgresPool) async throws {
        let device = DeviceID()
        let digest = try #require(ContentDigest(bytes: [UInt8](repeating: 7, count: 32)))
        let photo = StoredMedia(key: "incoming/\(id)/photo", sha256: digest, sizeBytes: 1, contentType: "image/jpeg")
        announcement = CaptureAnnouncement(
            captureID: id, deviceID: device,
            content: .photo(PhotoContent(photo: photo, depth: photo, photoThenDepth: nil, depthWidth: 2, depthHeight: 2)),
            metadata: Array("{}".utf8), assertion: nil, receivedAt: Date(timeIntervalSince1970: 1_790_000_000))
        _ = try await pool.query(
            """
            INSERT INTO devices (id, platform, model, has_lidar, attestation_level, attestation_failure, key_id, request_key_algorithm,
                request_key, attestation_object, registered_at)
            VALUES (\(device.uuid), 'ios', 'iPhone 16 Pro', true, 'unverified', 'malformed', \([UInt8(1)]), 'ed25519', \([UInt8(2)]),
                \([UInt8(3)]), now())
            """)
        _ = try await pool.query(
            """
            INSERT INTO captures (id, short_id, device_id, type, capture_mode, media_sha256, captured_at, uploaded_at, announcement)
            VALUES (\(id.uuid), \(String(id.description.filter { $0 != "-" }.prefix(8))), \(device.uuid), 'photo', 'full', \(digest.bytes),
                now(), now(), \(PostgresJSON(encoding: announcement)))
            """)
    }

    static func with(_ body: @Sendable (StoredCapture, PostgresPool) async throws -> Void) async throws {
        try await TestSchema.withPools(prefix: "pipeline") { pools in
            let pool = try #require(pools.first)
            try await body(try await StoredCapture(in: pool), pool)
        }
    }
}
