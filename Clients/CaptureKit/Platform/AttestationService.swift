/// The device's hardware keys for App Attest: `DCAppAttestService` on iOS, a simulated device elsewhere.
public protocol AttestationService: Sendable {
    /// False where App Attest does not exist, as in the simulator.
    var isSupported: Bool { get async }

    /// Creates a key in the hardware.
    /// - Returns: its identifier: base64 of the SHA-256 of the public key's X9.63 point.
    func generateKey() async throws(AttestationServiceFailure) -> String

    /// Has Apple certify the key. Works once for a key.
    /// - Parameter clientDataHash: 32 bytes.
    /// - Returns: the attestation object (CBOR).
    func attestKey(_ key: String, clientDataHash: [UInt8]) async throws(AttestationServiceFailure) -> [UInt8]

    /// Signs with the key and increments its counter.
    /// - Parameter clientDataHash: 32 bytes.
    /// - Returns: the assertion (CBOR).
    func generateAssertion(_ key: String, clientDataHash: [UInt8]) async throws(AttestationServiceFailure) -> [UInt8]
}

/// Why the attestation service did not do its work.
public enum AttestationServiceFailure: Error, Sendable, Equatable {
    /// The device has no App Attest.
    case notSupported
    /// The key is unknown, was attested before, or belongs to an earlier installation: a new key is necessary.
    case invalidKey
    /// Apple's server cannot be reached: the same key later.
    case serverUnavailable
    /// Anything else, with a text for the log.
    case failed(String)
}
