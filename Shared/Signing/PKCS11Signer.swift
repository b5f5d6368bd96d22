import CaptureProtocol
public import Foundation
public import Secrets

/// Signs claims with a key that stays inside a PKCS#11 token.
public final class PKCS11Signer: ClaimSigner {
    public let certificate: SigningCertificate
    private let key: TokenKey

    public var algorithm: SigningAlgorithm { certificate.algorithm }
    public var certificateChainPEM: String { certificate.pem }

    /// Loads the module, logs in, and signs once to verify that the key matches the certificate.
    /// - Parameters:
    ///   - module: path of the module's shared library.
    ///   - tokenLabel: of exactly one token.
    ///   - pin: the user's PIN. A token on which this process is already logged in does not check it again.
    ///   - keyLabel: of exactly one private key, which is sensitive and not extractable.
    ///   - time: at which the certificates have to be valid.
    /// - Throws: ``SigningError/configuration(_:)`` if no retry helps, ``SigningError/unavailable(_:)`` if the token is missing or fails.
    ///   Neither text contains the PIN.
    public init(module: String, tokenLabel: String, pin: Secret<String>, keyLabel: String, certificatesPEM: String, at time: Date)
        throws(SigningError)
    {
        let certificate = try SigningCertificate(pem: certificatesPEM)
        try certificate.check(at: time)
        self.certificate = certificate
        key = try TokenKey(
            module: module, address: TokenAddress(tokenLabel: tokenLabel, pin: pin, keyLabel: keyLabel), algorithm: certificate.algorithm,
            owner: "the certificate's", isValid: { certificate.isValidSignature($0, for: $1) })
    }

    /// - Throws: only ``SigningError/unavailable(_:)``: the settings were valid at start, so a change of the token must be undone; until
    ///   then claims wait.
    public func sign(_ bytes: [UInt8]) throws(SigningError) -> [UInt8] { try key.sign(bytes) }

    /// Signs random bytes, since only that proves that the key works.
    public func check() throws(SigningError) { _ = try sign(.random(32)) }
}
