public import Models

/// What became of a file that was inspected. Whatever a file does, this is the answer to it, never an error.
public enum InspectionOutcome: Sendable, Equatable {
    case report(CredentialReport)
    case unreadable(reason: Reason)

    /// Why there is no report.
    public enum Reason: String, Sendable, CaseIterable {
        /// It took longer than the wall clock allows.
        case timeout
        /// The process died of a signal.
        case crash
        /// More memory than allowed, or than the machine had.
        case memory
        /// More processor time than allowed, or a longer report.
        case limit
        /// What the process wrote is no report, or it said that it failed.
        case garbledAnswer = "garbled_answer"
    }
}
