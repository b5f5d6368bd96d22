import CaptureProtocol
import Foundation
import Models
import Persistence
import TestSupport
import Testing

@testable import RialCLI

@Suite(
    "The devices that are revoked, in PostgreSQL",
    .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
struct RevokedDevicesTests {
    private static let start = Date(timeIntervalSince1970: 1_800_000_000)

    /// What an operator decides about a device, as attestation-verifier writes it.
    private func decide(
        _ action: String, _ device: DeviceID, since: Date? = nil, reason: String? = nil, in pool: PostgresPool
    ) async throws {
        _ = try await pool.query(
            """
            INSERT INTO device_events (device_id, action, by, reason, since)
            VALUES (\(device.uuid), \(action), 'rial-cli', \(reason), \(since))
            """)
        let revokedAt: Date? = action == "revoked" ? Self.start : nil
        _ = try await pool.query("UPDATE devices SET revoked_at = \(revokedAt) WHERE id = \(device.uuid)")
    }

    @Test("are listed with what their revocation counts from, and not once they are restored")
    func listed() async throws {
        try await TestSchema.withPools(prefix: "revoked") { pools in
            let pool = pools[0]
            var devices: [DeviceID] = []
            for _ in 0..<4 { devices.append(try await StoredCapture(in: pool).announcement.deviceID) }
            // One that was revoked twice, one that was restored between, and one that was restored.
            try await decide("revoked", devices[0], since: Self.start - 60, reason: "stolen", in: pool)
            try await decide("revoked", devices[0], since: Self.start - 30, reason: "sold", in: pool)
            try await decide("revoked", devices[1], since: Self.start - 90, in: pool)
            try await decide("restored", devices[1], in: pool)
            try await decide("revoked", devices[1], in: pool)
            try await decide("revoked", devices[2], in: pool)
            try await decide("restored", devices[2], in: pool)
            let found = try await pool.withConnection { try await RevokedDevices(connection: $0).all() }
            let expected = [
                RevokedDevice(id: devices[0], revokedAt: Self.start, since: Self.start - 60, by: "rial-cli", reason: "sold"),
                RevokedDevice(id: devices[1], revokedAt: Self.start, since: nil, by: "rial-cli", reason: nil),
            ]
            #expect(found == expected.sorted { $0.id.description < $1.id.description })
        }
    }
}
