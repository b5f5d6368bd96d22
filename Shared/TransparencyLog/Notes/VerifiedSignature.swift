/// A signature that verified.
public struct VerifiedSignature: Hashable, Sendable {
    public let key: VerifierKey
    /// When a witness cosigned, POSIX time; a log's signature has none.
    public let seconds: UInt64?
}
