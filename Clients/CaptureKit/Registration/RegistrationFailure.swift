/// Why the device is not registered now. What the registration has reached is kept; the next call goes on from there.
public enum RegistrationFailure: Error, Sendable, Equatable {
    /// There was no response.
    case transport(TransportFailure)
    /// The server limits the rate (429) or has a fault (500 and above).
    /// - Parameter retryAfter: the wait that it asks for, at most a day.
    case busy(status: Int, retryAfter: Duration?)
    /// Not a response of this API, as from a captive portal or a proxy.
    case unexpectedResponse(status: Int)
    /// The server refuses the registration, with its code and message. It will refuse the same bytes again, and the next call sends the
    /// same; from 24 hours after the attestation a call starts over with a new key.
    case refused(status: Int, code: String, message: String)
    /// Apple's server cannot be reached.
    case attestationUnavailable
    /// App Attest failed, with a text for the log. The next call uses a new key.
    case attestationFailed(String)
    /// Several new keys in one call were all refused.
    case tooManyKeys

    /// The wait that the server asks for.
    public var retryAfter: Duration? {
        if case .busy(_, let duration) = self { duration } else { nil }
    }
}
