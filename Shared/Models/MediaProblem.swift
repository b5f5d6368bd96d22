/// The kinds of damage to stored media.
public enum MediaProblem: String, Sendable, CaseIterable {
    case missing
    /// The digest or size differs.
    case digestMismatch = "digest_mismatch"
    /// The store does not give it, though it gives others.
    case unreadable
}
