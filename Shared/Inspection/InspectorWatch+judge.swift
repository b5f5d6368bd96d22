import CaptureProtocol
import Foundation
import Models

extension InspectorWatch.Result {
    /// The code with which the program says that it could not begin, whatever the file is (sysexits.h: EX_CONFIG).
    private static let couldNotBegin: Int32 = 78
    /// A report nests less than half as deep.
    private static let maximumNesting = 16

    /// What the way a process ended says.
    /// - Throws: where it says nothing about the file.
    func outcome(_ limits: InspectionLimits) throws(InspectionError) -> InspectionOutcome {
        switch cause {
        case .cancellation: throw .cancelled
        case .deadline: return .unreadable(reason: .timeout)
        case .output: return .unreadable(reason: .limit)
        case nil: break
        }
        if let signal = ending.signal { return .unreadable(reason: reason(signal, limits)) }
        if ending.exitCode == Self.couldNotBegin { throw .unavailable(sentence) }
        guard ending.exitCode == 0, JSONNesting.depth(of: output) <= Self.maximumNesting,
            let report = try? WireJSON.decode(CredentialReport.self, from: output)
        else { return .unreadable(reason: .garbledAnswer) }
        // So the library says it where it could help itself.
        let isOutOfMemory = report.state == .unreadable && report.validationCodes.contains { $0.explanation == "Io: out of memory" }
        return isOutOfMemory ? .unreadable(reason: .memory) : .report(report)
    }

    private func reason(_ signal: Int32, _ limits: InspectionLimits) -> InspectionOutcome.Reason {
        switch signal {
        case SIGXCPU, SIGXFSZ: return .limit
        case SIGALRM: return .timeout
        // Not from us, or there would be a cause: the system was short of memory.
        case SIGKILL: return .memory
        default:
            // The library's language says this before it aborts for want of memory.
            let hasComplained = Data(complaint).range(of: Data("memory allocation of".utf8)) != nil
            return hasComplained || ending.peakBytes >= limits.memoryBytes / 4 * 3 ? .memory : .crash
        }
    }

    /// What the program complained of, in one line.
    var sentence: String {
        let text = String(decoding: complaint, as: UTF8.self).prefix { !$0.isNewline }
        return text.isEmpty ? "the inspector ended with status \(ending.status)" : String(text.prefix(500))
    }
}
