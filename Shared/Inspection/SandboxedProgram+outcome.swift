import CaptureProtocol
import Foundation
import Models

extension SandboxedProgram.Result {
    /// More than twice what a report needs.
    private static let maximumNesting = 16

    /// Interprets the end of the process as a result for the file.
    /// - Throws: if the end was not caused by the file.
    func outcome(_ limits: InspectionLimits) throws(InspectionError) -> InspectionOutcome {
        switch cause {
        case .cancellation: throw .cancelled
        case .deadline: return .unreadable(reason: .timeout)
        case .output: return .unreadable(reason: .limit)
        case nil: break
        }
        if let signal = ending.signal { return .unreadable(reason: reason(signal, limits)) }
        if couldNotStart { throw .unavailable(sentence) }
        guard ending.exitCode == 0, JSONNesting.depth(of: output) <= Self.maximumNesting,
            let report = try? WireJSON.decode(CredentialReport.self, from: output)
        else { return .unreadable(reason: .garbledAnswer) }
        // The library's report if it ran out of memory but could handle it.
        let isOutOfMemory = report.state == .unreadable && report.validationCodes.contains { $0.explanation == "Io: out of memory" }
        return isOutOfMemory ? .unreadable(reason: .memory) : .report(report)
    }

    private func reason(_ signal: Int32, _ limits: InspectionLimits) -> InspectionOutcome.Reason {
        switch signal {
        case SIGXCPU, SIGXFSZ: return .limit
        case SIGALRM: return .timeout
        // Not sent by us, since no cause is recorded: the system was out of memory.
        case SIGKILL: return .memory
        default:
            // Rust's runtime writes this before it aborts because an allocation failed.
            let isAllocationFailure = Data(errors).range(of: Data("memory allocation of".utf8)) != nil
            return isAllocationFailure || ending.peakBytes >= limits.memoryBytes / 4 * 3 ? .memory : .crash
        }
    }
}
