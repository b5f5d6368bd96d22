import CaptureKit
import CaptureProtocol
import Foundation
import Testing

@Suite("The device's identities")
struct IdentityStoreTests {
    private static let device = DeviceID("6f1c0c1e-7a35-4b0a-9d6e-0d6f1b1a2c3d")
    private let secrets = MemorySecureStore()
    private var store: IdentityStore { IdentityStore(secrets) }

    @Test("are none at first")
    func none() async throws {
        #expect(try await store.current == nil)
        #expect(try await store.all.isEmpty)
    }

    @Test("are replaced by their request key, and latest last")
    func update() async throws {
        let (first, second) = (identity(1), identity(2))
        try await store.update(first)
        try await store.update(second)
        let registered = identity(1, registered: Self.device)
        try await store.update(registered)
        #expect(try await store.all == [registered, second])
        #expect(try await store.current == second)
        #expect(try await store.identity(for: try #require(Self.device)) == registered)
        #expect(try await store.identity(for: DeviceID()) == nil)
    }

    @Test("are removed when their captures are done, but for the latest")
    func remove() async throws {
        let devices = [DeviceID(), DeviceID()]
        for (number, device) in devices.enumerated() { try await store.update(identity(UInt8(number), registered: device)) }
        for device in devices + [DeviceID()] { try await store.remove(device) }
        #expect(try await store.all.map(\.deviceID) == [devices[1]])
    }

    @Test("are not replaced while they cannot be read")
    func unreadable() async throws {
        secrets.isLocked = true
        await #expect(throws: SecureStoreError.locked) { try await store.update(identity(1)) }
        secrets.isLocked = false
        try secrets.save(Array("[{}]".utf8), as: .identities)
        await #expect(throws: SecureStoreError.self) { try await store.update(identity(1)) }
        #expect(try secrets.load(.identities) == Array("[{}]".utf8))
    }

    @Test("of an earlier version of the library are read")
    func format() async throws {
        let json = """
            [{"attestationKeyID":"S0VZ","requestKey":{"algorithm":"p256","public_key":"AQ=="},"requestKeyReference":"Ag==",
            "state":{"registered":{"_0":{"device_id":"6f1c0c1e-7a35-4b0a-9d6e-0d6f1b1a2c3d","attestation_level":"secure_enclave",
            "has_lidar":true}}}},
            {"requestKey":{"algorithm":"ed25519","public_key":"AQ=="},"requestKeyReference":"Ag==","state":{"keyGenerated":{}}},
            {"requestKey":{"algorithm":"ed25519","public_key":"Ag=="},"requestKeyReference":"Ag==",
            "state":{"challenged":{"_0":{"bytes":"Aw==","usableUntil":800000000}}}},
            {"requestKey":{"algorithm":"ed25519","public_key":"Aw=="},"requestKeyReference":"Ag==","state":{"attesting":{}}},
            {"requestKey":{"algorithm":"ed25519","public_key":"BA=="},"requestKeyReference":"Ag==",
            "state":{"attested":{"body":"e30=","since":800000000}}}]
            """
        try secrets.save(Array(json.utf8), as: .identities)
        let time = Date(timeIntervalSinceReferenceDate: 800_000_000)
        let all = try await store.all
        #expect(all.first?.deviceID == Self.device)
        #expect(all.first?.attestationKeyID == "S0VZ")
        #expect(
            all.dropFirst().map(\.state) == [
                .keyGenerated, .challenged(.init(bytes: [3], usableUntil: time)), .attesting,
                .attested(body: Base64Bytes(Array("{}".utf8)), since: time),
            ])
    }

    private func identity(_ number: UInt8, registered device: DeviceID? = nil) -> DeviceIdentity {
        let key = RequestKeyPair(publicKey: RequestKey(algorithm: .ed25519, publicKey: [number]), reference: [number])
        let result = device.map {
            RegistrationResult(deviceID: $0, attestationLevel: .secureEnclave, hasLiDAR: true, attestationFailure: nil)
        }
        return DeviceIdentity(attestationKeyID: "key", requestKey: key, state: result.map { .registered($0) } ?? .keyGenerated)
    }
}
