import CPKCS11
import Crypto
public import Foundation
import Synchronization

/// Signs with a key that stays inside a PKCS#11 token: CKM_EDDSA for Ed25519, CKM_ECDSA over a SHA-256 digest for P-256.
///
/// A token that was removed is used again without a restart once it is back. Calls into a module are serialized in the whole process, so a
/// call that hangs blocks all others.
public final class PKCS11Signer: ClaimSigner {
    private struct State {
        var session: TokenSession?
        /// Set once the token has refused the PIN, and never cleared.
        var pinRefusal: PKCS11Failure?
    }

    public let certificate: SigningCertificate
    private let module: PKCS11Module
    private let address: TokenAddress
    private let state = Mutex(State())

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
    public init(module: String, tokenLabel: String, pin: String, keyLabel: String, certificatesPEM: String, at time: Date)
        throws(SigningError)
    {
        certificate = try SigningCertificate(pem: certificatesPEM)
        try certificate.check(at: time)
        self.module = try PKCS11Module.load(module)
        address = TokenAddress(tokenLabel: tokenLabel, pin: pin, keyLabel: keyLabel)
        do throws(TokenProblem) {
            _ = try signature(over: Nonce.random())
        } catch {
            throw error.atStart
        }
    }

    deinit {
        guard let session = state.withLock({ $0.session }) else { return }
        try? module.run(renewing: false) { library throws(TokenProblem) in session.close(in: library) }
    }

    /// - Throws: only ``SigningError/unavailable(_:)``: the settings were valid at start, so a change of the token must be undone; until
    ///   then claims wait.
    public func sign(_ bytes: [UInt8]) throws(SigningError) -> [UInt8] {
        do throws(TokenProblem) {
            return try signature(over: bytes)
        } catch {
            throw .unavailable("\(address): \(error.message)")
        }
    }

    /// Signs random bytes, since only that proves that the key works.
    public func check() throws(SigningError) { _ = try sign(Nonce.random()) }

    private func signature(over bytes: [UInt8]) throws(TokenProblem) -> [UInt8] {
        let message = algorithm == .es256 ? Array(SHA256.hash(data: bytes)) : bytes
        let signature = try state.withLock { state throws(TokenProblem) in
            if let refusal = state.pinRefusal { throw .pinRefused(refusal) }
            do throws(TokenProblem) {
                return try attempt(message, renewing: false, &state)
            } catch {
                guard error.mayPass else { throw error }
                return try attempt(message, renewing: true, &state)
            }
        }
        guard certificate.isValidSignature(signature, for: bytes) else {
            throw .unfit("the token's key is not the certificate's: its signature does not verify")
        }
        return signature
    }

    /// Makes one attempt, in the existing session or a new one; a session that fails is dropped.
    private func attempt(_ message: [UInt8], renewing: Bool, _ state: inout State) throws(TokenProblem) -> [UInt8] {
        let known = state.session
        state.session = nil
        let mechanism = algorithm == .ed25519 ? CKM_EDDSA : CKM_ECDSA
        do throws(TokenProblem) {
            let (session, signature) = try module.run(renewing: renewing) { library throws(TokenProblem) in
                let isCurrent = known?.generation == library.generation
                let session = if isCurrent, let known { known } else { try TokenSession.open(address, for: algorithm, in: library) }
                do throws(TokenProblem) {
                    return (session, try session.sign(message, mechanism, in: library))
                } catch {
                    session.close(in: library)
                    throw error
                }
            }
            state.session = session
            return signature
        } catch {
            if case .pinRefused(let failure) = error { state.pinRefusal = failure }
            throw error
        }
    }
}
