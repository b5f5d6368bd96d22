public import Signing

/// Why Content Credentials were not made, or a reader could not be set up.
public enum CredentialError: Error, Sendable, Equatable {
    /// The signer said so.
    case signer(SigningError)
    /// The time-stamp authority did not answer, or not as it should; nothing was made.
    case timestampUnavailable(String)
    /// The library refused what it was given: source, certificates, manifest or settings.
    case refused(String)
}
