import CPKCS11
import CaptureProtocol
import Crypto
import Foundation
import Synchronization

/// A private key that stays inside a PKCS#11 token: CKM_EDDSA for Ed25519, CKM_ECDSA over a SHA-256 digest for P-256.
///
/// A token that was removed is used again without a restart once it is back. Calls into a module are serialized in the whole process, so a
/// call that hangs blocks all others.
final class TokenKey: Sendable {
    private struct State {
        var session: TokenSession?
        /// Set once the token has refused the PIN, and never cleared.
        var pinRefusal: PKCS11Failure?
    }

    private let module: PKCS11Module
    private let address: TokenAddress
    private let algorithm: SigningAlgorithm
    private let owner: String
    private let isValid: @Sendable (_ signature: [UInt8], _ bytes: [UInt8]) -> Bool
    private let state = Mutex(State())

    /// Loads the module, logs in, and signs once to verify that the key is the right one.
    /// - Parameters:
    ///   - module: path of the module's shared library.
    ///   - owner: whose key it has to be, for the error.
    ///   - isValid: verifies a signature with the public key.
    /// - Throws: ``SigningError/configuration(_:)`` if no retry helps, ``SigningError/unavailable(_:)`` if the token is missing or fails.
    ///   Neither text contains the PIN.
    init(
        module: String, address: TokenAddress, algorithm: SigningAlgorithm, owner: String,
        isValid: @escaping @Sendable (_ signature: [UInt8], _ bytes: [UInt8]) -> Bool
    ) throws(SigningError) {
        self.module = try PKCS11Module.load(module)
        self.address = address
        self.algorithm = algorithm
        self.owner = owner
        self.isValid = isValid
        do throws(TokenProblem) {
            _ = try signature(over: .random(32))
        } catch {
            throw error.atStart
        }
    }

    deinit {
        guard let session = state.withLock({ $0.session }) else { return }
        try? module.run(renewing: false) { library throws(TokenProblem) in session.close(in: library) }
    }

    /// - Throws: only ``SigningError/unavailable(_:)``: the settings were valid at start, so a change of the token must be undone; until
    ///   then signing waits.
    func sign(_ bytes: [UInt8]) throws(SigningError) -> [UInt8] {
        do throws(TokenProblem) {
            return try signature(over: bytes)
        } catch {
            throw .unavailable("\(address): \(error.message)")
        }
    }

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
        guard isValid(signature, bytes) else { throw .unfit("the token's key is not \(owner): its signature does not verify") }
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
