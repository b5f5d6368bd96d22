public import Models

/// The result of an inspection. All effects of the file are results, never errors.
public enum InspectionOutcome: Sendable, Equatable {
    case report(CredentialReport)
    case unreadable(reason: Reason)

    /// Why there is no report.
    public enum Reason: String, Sendable, CaseIterable {
        /// It took longer than the wall clock allows.
        case timeout
        /// The process died of a signal.
        case crash
        /// It needed more memory than allowed, or than the machine had.
        case memory
        /// It needed more CPU time than allowed, or its report was too long.
        case limit
        /// The process failed, or its output is not a report.
        case garbledAnswer = "garbled_answer"
    }
}
