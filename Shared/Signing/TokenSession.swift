import CPKCS11
import Secrets

/// A key's token, label and PIN. Its description omits the PIN.
struct TokenAddress: Sendable, CustomStringConvertible {
    let tokenLabel: String
    let pin: Secret<String>
    let keyLabel: String

    var description: String { "key \"\(keyLabel)\" on token \"\(tokenLabel)\"" }
}

/// A session on a token after login, with the private key's handle. Its handles are valid for one initialisation of the library.
struct TokenSession: Sendable {
    let handle: CK_SESSION_HANDLE
    let key: CK_OBJECT_HANDLE
    let generation: Int

    /// Opens a read-only session, logs in and finds the key.
    static func open(_ address: TokenAddress, for algorithm: SigningAlgorithm, in library: PKCS11Module.Library) throws(TokenProblem)
        -> TokenSession
    {
        let handle = try logIn(address, in: library)
        do throws(TokenProblem) {
            let key = try KeySearch(session: handle, library: library).privateKey(labelled: address.keyLabel, for: algorithm)
            return TokenSession(handle: handle, key: key, generation: library.generation)
        } catch {
            _ = library.functions.pointee.C_CloseSession?(handle)
            throw error
        }
    }

    static func logIn(_ address: TokenAddress, in library: PKCS11Module.Library) throws(TokenProblem) -> CK_SESSION_HANDLE {
        let token = try TokenSearch(library: library).token(labelled: address.tokenLabel)
        // A service manager restarts a service that is refused, and each start is a try: the last one would lock the token.
        if let problem = TokenProblem(pinFlags: token.flags) { throw problem }
        var handle = CK_SESSION_HANDLE()
        try library.call("C_OpenSession") { $0.C_OpenSession?(token.slot, CK_FLAGS(CKF_SERIAL_SESSION), nil, nil, &handle) }
        var pin = Array(address.pin.value.utf8)
        let code = library.functions.pointee.C_Login?(handle, CK_USER_TYPE(CKU_USER), &pin, CK_ULONG(pin.count))
        // Login state belongs to the token, not to the session: another signer may have logged in.
        if code == CKR_OK || code == CKR_USER_ALREADY_LOGGED_IN { return handle }
        _ = library.functions.pointee.C_CloseSession?(handle)
        let failure = PKCS11Failure(function: "C_Login", code: code ?? CKR_FUNCTION_NOT_SUPPORTED)
        throw failure.isPINRefused ? .pinRefused(failure) : .failure(failure)
    }

    func close(in library: PKCS11Module.Library) {
        guard generation == library.generation else { return }
        _ = library.functions.pointee.C_CloseSession?(handle)
    }

    /// - Parameter message: the message for Ed25519, or the digest for ECDSA.
    func sign(_ message: [UInt8], _ mechanism: CK_MECHANISM_TYPE, in library: PKCS11Module.Library) throws(TokenProblem) -> [UInt8] {
        var mechanism = CK_MECHANISM(mechanism: mechanism, pParameter: nil, ulParameterLen: 0)
        try library.call("C_SignInit") { $0.C_SignInit?(handle, &mechanism, key) }
        var message = message
        var signature = [UInt8](repeating: 0, count: 256)
        var length = CK_ULONG(signature.count)
        try library.call("C_Sign") { $0.C_Sign?(handle, &message, CK_ULONG(message.count), &signature, &length) }
        guard length == 64 else { throw .unfit("the token's signature has \(length) bytes, not 64") }
        return Array(signature.prefix(64))
    }
}
