/// How stored media are damaged.
public enum MediaProblem: String, Sendable, CaseIterable {
    case missing
    /// Other bytes, or another number of them.
    case digestMismatch = "digest_mismatch"
}
