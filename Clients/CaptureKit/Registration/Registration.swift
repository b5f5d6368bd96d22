public import CaptureProtocol
import Foundation

/// Registers this device: keys, challenge, attestation, registration.
///
/// Each step is stored before the next begins. So a process may end at any point: no key is attested twice, since ``DeviceIdentity/State``
/// says before the call that the key is being used; and no answer is lost, since the same bytes are sent again and the server answers them
/// as it did the first time. One process at a time may register: the one that holds the capture store's lock.
public actor Registration {
    /// New keys in one call; Apple counts a device's keys, and a server that refuses three refuses the fourth.
    static let maximumNewKeys = 3
    /// The part of a challenge's lifetime in which an attestation may begin.
    private static let usablePart = 0.8

    private let identities: IdentityStore
    private let attestation: any AttestationService
    private let requestKeys: any RequestKeyService
    private let device: any DeviceInfo
    private let server: RegistrationAPI
    private let clock: any WallClock
    private let reached: @Sendable (String) throws -> Void
    private var running: Task<DeviceIdentity, any Error>?

    /// - Parameter reached: called after each step with its name; what it throws ends the registration there, as the end of the process
    ///   would. The names: `registration.key`, `.challenge`, `.attesting` (stored), `.attested` (the attestation is there, not yet stored),
    ///   `.body` (stored), `.answered` (not yet stored), `.saved`.
    public init(
        identities: IdentityStore, attestation: any AttestationService, requestKeys: any RequestKeyService, device: any DeviceInfo,
        transport: any HTTPTransport, clock: any WallClock = SystemWallClock(),
        reached: @escaping @Sendable (String) throws -> Void = { _ in }
    ) {
        self.identities = identities
        self.attestation = attestation
        self.requestKeys = requestKeys
        self.device = device
        self.clock = clock
        self.reached = reached
        server = RegistrationAPI(transport: transport, clock: clock)
    }

    /// Registers the device unless it is registered, going on from where an earlier call stopped. Makes each request once; waiting and
    /// trying again is the caller's.
    /// - Parameter refused: a device that the server does not know any more (`DEVICE_NOT_REGISTERED`) or whose key is lost. If the current
    ///   identity is this device, a new one is registered, and this one stays until it is removed.
    /// - Returns: a registered identity. Its level is `unverified` where App Attest is not supported or the server could not verify it.
    /// - Throws: ``RegistrationFailure``, ``SecureStoreError``, errors of the ``RequestKeyService``, `CancellationError`.
    public func register(replacing refused: DeviceID? = nil) async throws -> DeviceIdentity {
        while let running { _ = await running.result }
        let attempt = Task {
            defer { running = nil }
            return try await run(replacing: refused)
        }
        running = attempt
        return try await withTaskCancellationHandler {
            try await attempt.value
        } onCancel: {
            attempt.cancel()
        }
    }

    private func run(replacing refused: DeviceID?) async throws -> DeviceIdentity {
        var latest = try await identities.current
        if let refused, latest?.deviceID == refused { latest = nil }
        var newKeys = 0
        while true {
            try Task.checkCancellation()
            if let identity = latest {
                if identity.registration != nil { return identity }
                if let advanced = try await advance(identity) {
                    latest = advanced
                    continue
                }
            }
            guard newKeys < Self.maximumNewKeys else { throw RegistrationFailure.tooManyKeys }
            newKeys += 1
            latest = try await generateKeys(replacing: latest)
        }
    }

    /// Takes the next step.
    /// - Returns: `nil` if the identity's key can no longer be registered.
    private func advance(_ identity: DeviceIdentity) async throws -> DeviceIdentity? {
        switch identity.state {
        case .challenged(let challenge) where clock.now < challenge.usableUntil: try await attest(identity, challenge)
        case .keyGenerated, .challenged: try await requestChallenge(identity)
        case .attested(let body, let since) where clock.now.timeIntervalSince(since) < TimeInterval(DeviceRegistration.repeatableSeconds):
            try await send(body.bytes, identity)
        case .attesting, .attested: nil
        case .registered: identity
        }
    }

    private func generateKeys(replacing spent: DeviceIdentity?) async throws -> DeviceIdentity {
        let identity = DeviceIdentity(attestationKeyID: try await generateAttestationKey(), requestKey: try requestKeys.generate())
        try await identities.replace(spent, with: identity)
        try reached("registration.key")
        return identity
    }

    /// - Returns: `nil` where App Attest is not supported.
    private func generateAttestationKey() async throws(RegistrationFailure) -> String? {
        guard await attestation.isSupported else { return nil }
        do throws(AttestationServiceFailure) {
            return try await attestation.generateKey()
        } catch {
            switch error {
            case .notSupported: return nil
            case .serverUnavailable: throw .attestationUnavailable
            case .invalidKey: throw .attestationFailed("no key")
            case .failed(let text): throw .attestationFailed(text)
            }
        }
    }

    private func requestChallenge(_ identity: DeviceIdentity) async throws -> DeviceIdentity {
        let start = clock.now
        let (bytes, lifetime) = try await server.challenge()
        let challenge = DeviceIdentity.Challenge(bytes: bytes, usableUntil: start.addingTimeInterval(lifetime * Self.usablePart))
        let challenged = try await store(identity, .challenged(challenge))
        try reached("registration.challenge")
        return challenged
    }

    private func attest(_ identity: DeviceIdentity, _ challenge: DeviceIdentity.Challenge) async throws -> DeviceIdentity? {
        let keyID: [UInt8]
        let object: [UInt8]
        if let key = identity.attestationKeyID {
            guard let bytes = Base64.decode(key) else { return nil }
            let attesting = try await store(identity, .attesting)
            try reached("registration.attesting")
            guard let attested = try await attestKey(key, attesting, challenge) else { return nil }
            try reached("registration.attested")
            (keyID, object) = (bytes, attested)
        } else {
            (keyID, object) = (NoneAttestation.keyID(for: identity.requestKey), NoneAttestation.object)
        }
        let body = try identity.registrationBody(
            of: device, attestation: .init(keyID: keyID, attestationObject: object, challenge: challenge.bytes.bytes))
        let attested = try await store(identity, .attested(body: Base64Bytes(body), since: clock.now))
        try reached("registration.body")
        return attested
    }

    /// - Returns: the attestation object; `nil` if the key is of no use.
    private func attestKey(_ key: String, _ identity: DeviceIdentity, _ challenge: DeviceIdentity.Challenge) async throws -> [UInt8]? {
        let hash = RegistrationClientData.hash(challenge: challenge.bytes.bytes, requestKey: identity.requestKey.publicKey.bytes)
        do throws(AttestationServiceFailure) {
            return try await attestation.attestKey(key, clientDataHash: hash.bytes)
        } catch {
            switch error {
            case .invalidKey, .notSupported: return nil
            case .serverUnavailable:
                _ = try await store(identity, .challenged(challenge))
                throw RegistrationFailure.attestationUnavailable
            case .failed(let text): throw RegistrationFailure.attestationFailed(text)
            }
        }
    }

    private func send(_ body: [UInt8], _ identity: DeviceIdentity) async throws -> DeviceIdentity? {
        guard case .registered(let result) = try await server.register(body) else { return nil }
        try reached("registration.answered")
        let registered = try await store(identity, .registered(result))
        try reached("registration.saved")
        return registered
    }

    private func store(_ identity: DeviceIdentity, _ state: DeviceIdentity.State) async throws(SecureStoreError) -> DeviceIdentity {
        var changed = identity
        changed.state = state
        try await identities.update(changed)
        return changed
    }
}
