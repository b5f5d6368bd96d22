public import CaptureProtocol

/// Signs captures and requests with the identities of this device, and registers it when that is necessary.
public struct RegisteringSigner: CaptureSigning {
    private let identities: IdentityStore
    private let registration: Registration
    private let asserter: CaptureAsserter
    private let requestKeys: any RequestKeyService

    public init(
        identities: IdentityStore, registration: Registration, attestation: any AttestationService, requestKeys: any RequestKeyService
    ) {
        self.identities = identities
        self.registration = registration
        asserter = CaptureAsserter(attestation)
        self.requestKeys = requestKeys
    }

    public func currentDevice(replacing refused: DeviceID?) async throws -> DeviceID {
        do {
            let identity = try await registration.register(replacing: refused)
            guard let device = identity.deviceID else {
                throw DeviceUnavailable(
                    failure: CaptureFailure(code: "not_registered", message: "the device is not registered"), retryAfter: nil)
            }
            return device
        } catch let failure as RegistrationFailure {
            throw DeviceUnavailable(failure: CaptureFailure(failure), retryAfter: failure.retryAfter)
        } catch let error where !(error is DeviceUnavailable || error is CancellationError) {
            // An error of the secure store, or of the keys in it.
            throw DeviceUnavailable(
                failure: CaptureFailure(code: "device_keys", message: "the device's keys cannot be made or read now: \(error)"),
                retryAfter: nil)
        }
    }

    public func assertion(over clientDataHash: ContentDigest) async -> AssertionAttempt {
        let identity: DeviceIdentity
        do {
            guard let current = try await identities.current else { return .needsRegistration(replacing: nil) }
            identity = current
        } catch {
            return .later(CaptureFailure(code: "device_locked", message: "the device's keys cannot be read now"))
        }
        switch await asserter.assertion(over: clientDataHash, by: identity) {
        case .made(let assertion):
            guard let device = identity.deviceID else { return .needsRegistration(replacing: nil) }
            return .made(assertion, by: device)
        case .retryLater where identity.registration == nil: return .needsRegistration(replacing: nil)
        case .retryLater: return .later(CaptureFailure(code: "assertion_failed", message: "the hardware did not sign the capture"))
        case .needsNewIdentity: return .needsRegistration(replacing: identity.deviceID)
        case .unsupported: return .unsupported
        }
    }

    public func signer(for device: DeviceID) async throws -> (any RequestSigner)? {
        try await identities.identity(for: device).flatMap { DeviceSigner($0, keys: requestKeys) }
    }

    public func forgetDevices(except needed: Set<DeviceID>) async throws {
        for device in try await identities.all.compactMap(\.deviceID) where !needed.contains(device) {
            try await identities.remove(device)
        }
    }
}

extension CaptureFailure {
    fileprivate init(_ failure: RegistrationFailure) {
        switch failure {
        case .transport(let transport): self.init(transport)
        case .busy(let status, _), .unexpectedResponse(let status):
            self.init(code: "registration_unavailable", message: "the server does not register devices now (status \(status))")
        case .refused(_, let code, let message): self.init(code: code, message: message)
        case .attestationUnavailable, .attestationFailed, .tooManyKeys:
            self.init(code: "attestation_unavailable", message: "the device could not be attested")
        }
    }
}
