public import Signing

/// Why Content Credentials were not written, or a reader could not be set up.
public enum CredentialError: Error, Sendable, Equatable {
    /// The signer failed.
    case signer(SigningError)
    /// The time-stamp authority did not respond, or responded with an invalid token; nothing was written.
    case timestampUnavailable(String)
    /// The disk failed on which the source or a copy lies.
    case scratch(String)
    /// The library rejected its input: source, certificates, manifest or settings.
    case refused(String)
}
