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

    /// Whether reopening the token may help.
    var mayPass: Bool {
        switch self {
        case .failure(let failure): !failure.isUnfit
        case .tokenAbsent, .keyAbsent: true
        case .unfit, .pinRefused: false
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
        }
    }

    /// The error at start: a missing token may still appear, but any other problem of a working token is a wrong setting.
    var atStart: SigningError {
        switch self {
        case .failure(let failure): failure.isUnfit ? .configuration(message) : .unavailable(message)
        case .tokenAbsent: .unavailable(message)
        case .keyAbsent, .unfit, .pinRefused: .configuration(message)
        }
    }
}
