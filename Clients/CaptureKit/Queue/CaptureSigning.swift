public import CaptureProtocol

/// The device's identities as the queue needs them.
public protocol CaptureSigning: Sendable {
    /// The device that signs now; registers it if it is not registered.
    /// - Parameter refused: a device that the server does not know any more, to be replaced if it is the current one.
    /// - Throws: ``DeviceUnavailable`` if it cannot be registered now.
    func currentDevice(replacing refused: DeviceID?) async throws -> DeviceID

    /// Makes an assertion over a capture with the current device's hardware key. Does not use the network.
    /// - Parameter clientDataHash: of the capture (SPEC §2, version 2; SPEC §9).
    func assertion(over clientDataHash: ContentDigest) async -> AssertionAttempt

    /// - Returns: `nil` if the device's keys are gone.
    func signer(for device: DeviceID) async throws -> (any RequestSigner)?

    /// Forgets earlier identities but the given ones: all captures that they signed are done.
    func forgetDevices(except needed: Set<DeviceID>) async throws
}

/// The result of an attempt to make an assertion.
public enum AssertionAttempt: Sendable, Equatable {
    /// CBOR.
    case made([UInt8], by: DeviceID)
    /// Not now; to be tried again.
    case later(CaptureFailure)
    /// The key is lost: the device must be registered anew.
    case needsRegistration(replacing: DeviceID?)
    /// The device has no hardware attestation; its captures are sent without.
    case unsupported
}

/// The device is not registered, and cannot be now.
public struct DeviceUnavailable: Error, Sendable, Equatable {
    public let failure: CaptureFailure
    /// The least wait that the server asks for.
    public let retryAfter: Duration?

    public init(failure: CaptureFailure, retryAfter: Duration?) {
        self.failure = failure
        self.retryAfter = retryAfter
    }
}
