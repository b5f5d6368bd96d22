import Attestation
import CaptureProtocol

/// A row of `devices`, as far as requests need it.
struct KnownDevice: Sendable {
    let id: DeviceID
    let requestKey: (algorithm: RequestKey.Algorithm, key: [UInt8])?
    /// X9.63; `nil` for an unverified device.
    let attestedKey: [UInt8]?
    let appID: String?
    let isRevoked: Bool
    /// Whether its key was attested.
    var isVerified: Bool { attestedKey != nil }

    /// Whether an assertion is by the attested key. Its counter is neither consumed nor compared.
    func hasAsserted(_ clientDataHash: ContentDigest, by assertion: [UInt8]) -> Bool {
        guard let attestedKey, let appID else { return false }
        let verdict = AssertionAppraiser(appIDs: [appID]).appraise(
            assertion, publicKeyX963: attestedKey, clientDataHash: clientDataHash.bytes)
        if case .verified = verdict { return true }
        return false
    }
}

/// The devices that `attestation-verifier` registered.
protocol DeviceRepository: Sendable {
    /// - Returns: `nil` for an unknown device.
    func find(_ id: DeviceID) async throws -> KnownDevice?
}
