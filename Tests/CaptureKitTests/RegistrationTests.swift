import CaptureKit
import CaptureProtocol
import Foundation
import Testing

@Suite("Registration")
struct RegistrationTests {
    @Test("registers the attested key, the request key and what the device says of itself")
    func registers() async throws {
        let rig = try RegistrationRig()
        let identity = try await rig.registration().register()

        let (device, sent) = try #require(rig.gateway.devices.first)
        let key = try #require(identity.attestationKeyID)
        #expect(rig.gateway.devices.count == 1)
        #expect(identity.deviceID == device)
        #expect(identity.registration?.attestationLevel == .secureEnclave)
        #expect(sent.model == "iPhone16,1" && sent.hasLiDAR && sent.osVersion == "18.1" && sent.platform == "ios")
        #expect(sent.attestation.keyID == key)
        #expect(sent.requestKey?.publicKey == Base64.encode(identity.requestKey.publicKey.bytes))
        let challenge = try #require(Base64.decode(sent.attestation.challenge))
        let hash = RegistrationClientData.hash(challenge: challenge, requestKey: identity.requestKey.publicKey.bytes)
        #expect(rig.attestation.attestedHash(key) == hash.bytes)
        #expect(try await rig.identities.current == identity)
    }

    @Test("that fails in the device's own keys leaves it unavailable, so that the queue goes on with what is signed")
    func ownKeys() async throws {
        let rig = try RegistrationRig()
        let registration = Registration(
            identities: rig.identities, attestation: rig.attestation, requestKeys: BrokenKeys(), device: PhoneInfo(), transport: rig.server,
            clock: rig.clock)
        let signer = RegisteringSigner(
            identities: rig.identities, registration: registration, attestation: rig.attestation, requestKeys: BrokenKeys())
        do {
            _ = try await signer.currentDevice(replacing: nil)
            Issue.record("there is a device without keys")
        } catch let unavailable as DeviceUnavailable {
            #expect(unavailable.failure.code == "device_keys" && unavailable.retryAfter == nil)
        }
    }

    private struct BrokenKeys: RequestKeyService {
        struct Failure: Error {}

        func generate() throws -> RequestKeyPair { throw Failure() }
        func signature(of message: [UInt8], with reference: [UInt8]) throws -> [UInt8] { throw Failure() }
    }

    @Test("happens once")
    func once() async throws {
        let rig = try RegistrationRig()
        let first = try await rig.registration().register()
        #expect(try await rig.registration().register() == first)
        #expect(await rig.server.requests.count == 2)
    }

    @Test("happens once for callers at the same time")
    func concurrently() async throws {
        let rig = try RegistrationRig()
        let registration = rig.registration()
        let devices = try await withThrowingTaskGroup(of: DeviceID?.self) { group in
            for _ in 1...5 { group.addTask { try await registration.register().deviceID } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(devices.count == 1)
        #expect(await rig.server.requests.count == 2)
    }

    @Test("of a device without App Attest has format none and is unverified")
    func unsupported() async throws {
        let rig = try RegistrationRig(isSupported: false)
        let identity = try await rig.registration().register()

        #expect(identity.attestationKeyID == nil)
        #expect(identity.registration?.attestationLevel == .unverified)
        #expect(identity.registration?.attestationFailure == "bad_format")
        let sent = try #require(rig.gateway.devices.values.first)
        // {"fmt": "none", "attStmt": {}, "authData": h''}
        #expect(
            Base64.decode(sent.attestation.attestationObject).map(Hex.encode)
                == "a363666d74646e6f6e656761747453746d74a068617574684461746140")
        #expect(Base64.decode(sent.attestation.keyID)?.count == 32)
        #expect(sent.requestKey?.algorithm == "p256")
        #expect(try rig.attestations.isEmpty)
    }

    @Test("in place of a device that the server forgot keeps the earlier identity")
    func replacing() async throws {
        let rig = try RegistrationRig()
        let first = try await rig.registration().register()
        let forgotten = try #require(first.deviceID)
        let second = try await rig.registration().register(replacing: forgotten)

        #expect(second.deviceID != forgotten)
        #expect(second.attestationKeyID != first.attestationKeyID)
        #expect(try await rig.identities.all == [first, second])
        #expect(try await rig.registration().register(replacing: forgotten) == second)
        #expect(rig.gateway.devices.count == 2)
    }

    @Test("leaves an earlier identity there for as long as it is needed, and the current one for good")
    func forgetting() async throws {
        let rig = try RegistrationRig()
        let former = try await rig.registration().register()
        let device = try #require(former.deviceID)
        let current = try await rig.registration().register(replacing: device)
        let signer = RegisteringSigner(
            identities: rig.identities, registration: rig.registration(), attestation: rig.attestation, requestKeys: rig.requestKeys)

        try await signer.forgetDevices(except: [device])
        #expect(try await rig.identities.all == [former, current])
        #expect(try await signer.signer(for: device) != nil)
        try await signer.forgetDevices(except: [])
        #expect(try await rig.identities.all == [current])
        #expect(try await signer.signer(for: device) == nil)
    }

    @Test("waits for a store that is locked, and makes no key")
    func locked() async throws {
        let rig = try RegistrationRig()
        rig.secrets.isLocked = true
        await #expect(throws: SecureStoreError.locked) { try await rig.registration().register() }
        #expect(try rig.attestations.isEmpty)
    }

    @Test("of a cancelled caller ends")
    func cancelled() async throws {
        let rig = try RegistrationRig()
        let caller = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await rig.registration().register()
        }
        await #expect(throws: CancellationError.self) { try await caller.value }
        #expect(try await rig.registration().register().deviceID != nil)
    }
}
