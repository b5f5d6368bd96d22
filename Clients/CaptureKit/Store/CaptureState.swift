/// The state of a capture in the store.
public enum CaptureState: String, Sendable, CaseIterable, Codable {
    /// Complete; waits to be sent.
    case pending
    /// Being sent. Becomes ``pending`` again once its process has ended, since nobody sends it any more.
    case uploading
    /// The server has it. Is sent once more, as ``pending``, if the server then reports it failed or does not know it.
    case uploaded
    /// The server refused it, or it failed too often; a person may try again. Becomes ``uploading`` for the moment in which a late answer
    /// is recorded that says that the server has it.
    case failed
    /// Without its assertion, which is tried again.
    case assertionPending = "assertion_pending"
    /// Without its assertion; a person may try again or send it without.
    case assertionFailed = "assertion_failed"

    /// The states that may follow.
    public var next: Set<CaptureState> {
        switch self {
        case .pending: [.uploading, .assertionPending, .failed]
        case .uploading: [.uploaded, .pending, .failed, .assertionPending]
        case .uploaded: [.pending]
        case .failed: [.pending, .assertionPending, .uploading]
        case .assertionPending: [.pending, .assertionFailed]
        case .assertionFailed: [.assertionPending, .pending]
        }
    }
}
