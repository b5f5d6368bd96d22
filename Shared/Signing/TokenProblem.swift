import CPKCS11

/// Why a token operation failed; internal to the module.
enum TokenProblem: Error {
    case failure(PKCS11Failure)
    /// No token has the label; with the labels of those that are present.
    case tokenAbsent(label: String, present: [String])
    case keyAbsent(label: String)
    /// The token works, but the token, its key or our settings do not match.
    case unfit(String)
    /// The PIN was refused; it is not tried again.
    case pinRefused(PKCS11Failure)
    /// The PIN was not tried: a wrong one would lock the token.
    case lastTry
    /// The PIN was not tried: the token is locked already.
    case pinLocked

    /// What forbids trying the PIN; `nil` if nothing does, or if the token does not say.
    ///
    /// CKF_USER_PIN_COUNT_LOW forbids nothing: tokens set it after the first wrong PIN.
    /// - Parameter pinFlags: the flags of its CK_TOKEN_INFO (PKCS #11 v2.40 §3.2).
    init?(pinFlags: CK_FLAGS) {
        if pinFlags & CK_FLAGS(CKF_USER_PIN_LOCKED) != 0 {
            self = .pinLocked
        } else if pinFlags & CK_FLAGS(CKF_USER_PIN_FINAL_TRY) != 0 {
            self = .lastTry
        } else {
            return nil
        }
    }

    /// Whether reopening the token may help.
    var mayPass: Bool {
        switch self {
        case .failure(let failure): !failure.isUnfit
        case .tokenAbsent, .keyAbsent: true
        case .unfit, .pinRefused, .lastTry, .pinLocked: false
        }
    }

    var message: String {
        switch self {
        case .failure(let failure): failure.description
        case .tokenAbsent(let label, let present):
            "there is no token \"\(label)\"; there are: \(present.isEmpty ? "none" : present.map { "\"\($0)\"" }.joined(separator: ", "))"
        case .keyAbsent(let label): "the token holds no private key \"\(label)\""
        case .unfit(let text): text
        case .pinRefused(let failure): "the token refuses the PIN (\(failure)); it is not tried again before a restart"
        case .lastTry: "one try of the PIN is left, which is not used: log in once with another tool"
        case .pinLocked: "the PIN is locked: set it again as the token's security officer"
        }
    }

    /// The error at start: a missing token may still appear, but any other problem of a working token is a wrong setting.
    var atStart: SigningError {
        switch self {
        case .failure(let failure): failure.isUnfit ? .configuration(message) : .unavailable(message)
        case .tokenAbsent: .unavailable(message)
        case .keyAbsent, .unfit, .pinRefused, .lastTry, .pinLocked: .configuration(message)
        }
    }
}
