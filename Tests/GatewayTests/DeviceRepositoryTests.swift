import CaptureProtocol
import Persistence
import TestSupport
import Testing

@testable import Gateway

@Suite("Devices, in memory and in PostgreSQL")
struct DeviceRepositoryTests {
    private static let appID = "ABCDE12345.app.rial"

    /// - Parameter number: makes its keys its own.
    private static func device(
        _ number: UInt8 = 1, algorithm: RequestKey.Algorithm? = .ed25519, isVerified: Bool, isRevoked: Bool = false
    ) -> KnownDevice {
        let requestKey = algorithm.map { algorithm in
            (algorithm: algorithm, key: [UInt8](repeating: number, count: algorithm == .ed25519 ? 32 : 65))
        }
        return KnownDevice(
            id: DeviceID(), requestKey: requestKey, attestedKey: isVerified ? [UInt8](repeating: number, count: 65) : nil,
            appID: isVerified ? appID : nil, isRevoked: isRevoked)
    }

    private static func expect(_ found: KnownDevice, is device: KnownDevice) {
        #expect(found.id == device.id && found.isRevoked == device.isRevoked && found.isVerified == device.isVerified)
        #expect(found.requestKey?.algorithm == device.requestKey?.algorithm && found.requestKey?.key == device.requestKey?.key)
        #expect(found.attestedKey == device.attestedKey && found.appID == device.appID)
    }

    @Test("one that nobody has registered is not there", arguments: Backend.available)
    func unknown(backend: Backend) async throws {
        try await backend.with { rig in
            _ = try await rig.insertDevice()
            let found = try await rig.devices.find(DeviceID())
            #expect(found == nil)
        }
    }

    @Test("an unverified one has its request key, and nothing that was attested", arguments: Backend.available)
    func unverified(backend: Backend) async throws {
        try await backend.with { rig in
            let id = try await rig.insertDevice()
            let found = try #require(try await rig.devices.find(id))
            #expect(found.id == id && !found.isVerified && !found.isRevoked)
            #expect(found.requestKey?.algorithm == .ed25519 && found.requestKey?.key == [UInt8](repeating: 2, count: 32))
            #expect(found.attestedKey == nil && found.appID == nil)
        }
    }

    @Test(
        "a verified one has its attested key and its app, and a request key of its kind if it gave one", arguments: Backend.available,
        [.ed25519, .p256, nil] as [RequestKey.Algorithm?])
    func verified(backend: Backend, algorithm: RequestKey.Algorithm?) async throws {
        try await backend.with { rig in
            let device = Self.device(algorithm: algorithm, isVerified: true)
            try await rig.insert(device)
            let found = try #require(try await rig.devices.find(device.id))
            #expect(found.isVerified && found.appID == Self.appID)
            Self.expect(found, is: device)
        }
    }

    @Test("each is found with its own keys", arguments: Backend.available)
    func several(backend: Backend) async throws {
        try await backend.with { rig in
            let devices = [
                Self.device(1, isVerified: true), Self.device(2, isVerified: false), Self.device(3, algorithm: .p256, isVerified: false),
            ]
            for device in devices { try await rig.insert(device) }
            for device in devices { Self.expect(try #require(try await rig.devices.find(device.id)), is: device) }
        }
    }

    @Test("a revoked one is still there, and says so", arguments: Backend.available, [true, false])
    func revoked(backend: Backend, isVerified: Bool) async throws {
        try await backend.with { rig in
            let device = Self.device(isVerified: isVerified, isRevoked: true)
            try await rig.insert(device)
            Self.expect(try #require(try await rig.devices.find(device.id)), is: device)
        }
    }

    @Test("a revocation counts for the next request, and so does its end", arguments: Backend.available)
    func restored(backend: Backend) async throws {
        try await backend.with { rig in
            let (device, other) = (Self.device(1, isVerified: true), Self.device(2, isVerified: true))
            for one in [device, other] { try await rig.insert(one) }
            for isRevoked in [true, false] {
                try await rig.set(isRevoked: isRevoked, of: device.id)
                let found = try #require(try await rig.devices.find(device.id))
                #expect(found.isRevoked == isRevoked && found.attestedKey == device.attestedKey)
            }
            try await rig.set(isRevoked: true, of: device.id)
            Self.expect(try #require(try await rig.devices.find(other.id)), is: other)
        }
    }

    @Test(
        "one whose request key is of a kind that is not known here is an error, and no device without a request key",
        .enabled(if: GatewayDatabase.isConfigured, GatewayDatabase.hint))
    func unknownAlgorithm() async throws {
        try await GatewayDatabase.with(pools: 2) { pools in
            let rig = PostgresRig(pools: pools)
            let device = Self.device(isVerified: true)
            try await rig.insert(device)
            _ = try await rig.database.query("ALTER TABLE devices DROP CONSTRAINT devices_request_key_algorithm_check")
            _ = try await rig.database.query("UPDATE devices SET request_key_algorithm = 'p384' WHERE id = \(device.id.uuid)")
            let failure = await error(PostgresError.self) { _ = try await rig.devices.find(device.id) }
            #expect(failure?.code == .decoding && failure?.message == "column request_key_algorithm has the unknown word p384")
        }
    }
}
