/// A log of a policy.
public struct TrustedLog: Hashable, Sendable {
    /// Its name is the log's origin.
    public let key: VerifierKey
    /// Where to reach it, if the policy says; not checked.
    public let url: String?
}

/// A witness of a policy.
public struct TrustedWitness: Hashable, Sendable {
    /// What the policy's groups call it; any bytes but white space.
    public let name: [UInt8]
    public let key: VerifierKey
    /// Its submission prefix, if the policy says; not checked.
    public let url: String?
}
