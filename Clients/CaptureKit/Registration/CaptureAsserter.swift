public import CaptureProtocol

/// Makes the App Attest assertions of captures: over photo, depth and metadata (SPEC §2, version 2), or over a payload (SPEC §9).
public struct CaptureAsserter: Sendable {
    private let attestation: any AttestationService

    public init(_ attestation: any AttestationService) { self.attestation = attestation }

    /// The result of an assertion. No failure stops a capture.
    public enum Outcome: Sendable, Equatable {
        /// The assertion (CBOR).
        case made([UInt8])
        /// Not now: App Attest failed, or the identity is not registered yet. See ``AssertionRetry``.
        case retryLater
        /// The key is lost: the device must be registered anew, and the new identity asserts.
        case needsNewIdentity
        /// The identity is unverified and has no assertions: the capture goes without.
        case unsupported
    }

    /// - Parameters:
    ///   - clientDataHash: of what is uploaded.
    ///   - identity: the one that will upload the capture.
    public func assertion(over clientDataHash: ContentDigest, by identity: DeviceIdentity) async -> Outcome {
        guard let key = identity.attestationKeyID else { return .unsupported }
        guard let registration = identity.registration else { return .retryLater }
        guard registration.attestationLevel == .secureEnclave else { return .unsupported }
        do throws(AttestationServiceFailure) {
            return .made(try await attestation.generateAssertion(key, clientDataHash: clientDataHash.bytes))
        } catch {
            switch error {
            case .invalidKey: return .needsNewIdentity
            case .notSupported: return .unsupported
            case .serverUnavailable, .failed: return .retryLater
            }
        }
    }
}
