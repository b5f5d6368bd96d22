public import CaptureProtocol
public import Foundation
public import Models

/// The attributes of a registered device that the hardware check needs.
public struct RegisteredDevice: Sendable, Equatable {
    public let level: AttestationLevel
    public let isRevoked: Bool
    /// X9.63; `nil` for a device that is not verified.
    public let publicKey: [UInt8]?
    public let appID: String?
    public let environment: String?
    public let isDevelopmentRoot: Bool
    /// As attested, from iOS 27 on.
    public let validationCategory: UInt32?
    public let bundleVersion: String?

    public init(
        level: AttestationLevel, isRevoked: Bool, publicKey: [UInt8]?, appID: String?, environment: String?, isDevelopmentRoot: Bool,
        validationCategory: UInt32?, bundleVersion: String?
    ) {
        self.level = level
        self.isRevoked = isRevoked
        self.publicKey = publicKey
        self.appID = appID
        self.environment = environment
        self.isDevelopmentRoot = isDevelopmentRoot
        self.validationCategory = validationCategory
        self.bundleVersion = bundleVersion
    }

    /// - Parameter assertion: its extensions are newer than the registration's and replace them.
    func attested(appID: String, _ assertion: AttestationExtensions) -> AttestedDevice {
        AttestedDevice(
            appID: appID, environment: environment, isDevelopmentRoot: isDevelopmentRoot,
            validationCategory: assertion.validationCategory ?? validationCategory,
            bundleVersion: assertion.bundleVersion.map(BundleVersion.storable) ?? bundleVersion)
    }
}

/// The hardware check of a capture (SPEC §3), except whether the counter is new, which only the database knows.
public struct CaptureAppraiser: Sendable {
    public let policy: DevicePolicy

    public init(policy: DevicePolicy) { self.policy = policy }

    /// - Parameters:
    ///   - assertion: CBOR; `nil` if none was sent.
    ///   - candidates: the client data hashes that the assertion may be made over, in the order to try.
    ///   - receivedAt: when the capture was accepted.
    public func appraise(
        _ assertion: [UInt8]?, by device: RegisteredDevice, over candidates: [(binding: AssertionBinding, hash: ContentDigest)],
        receivedAt: Date
    ) -> HardwareAppraisal {
        if device.isRevoked { return .fail(.deviceRevoked) }
        guard device.level == .secureEnclave, let key = device.publicKey, let appID = device.appID else {
            return .unavailable(.deviceUnverified)
        }
        guard let assertion else { return .unavailable(.noAssertion) }
        let verdict = AssertionAppraiser(appIDs: [appID]).appraise(
            assertion, publicKeyX963: key, candidates: candidates.map(\.hash.bytes))
        switch verdict {
        case .rejected(let failure): return .fail(failure.reason)
        case .verified(let verified, let index):
            // The attestation used counter 0, so a Secure Enclave never makes an assertion with it.
            guard verified.counter > 0 else { return .fail(.counterReplay) }
            let signed = SignedCapture(binding: candidates[index].binding, counter: verified.counter)
            let refusal = policy.refusal(
                of: device.attested(appID: appID, verified.extensions), binding: signed.binding, receivedAt: receivedAt)
            return refusal.map { .unavailable($0, signed: signed) } ?? .pass(signed)
        }
    }
}
