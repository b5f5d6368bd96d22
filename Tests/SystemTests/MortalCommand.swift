import Foundation
import Testing

/// A command that may be killed while it runs.
struct MortalCommand: Sendable {
    struct End: Sendable {
        /// Whether it ended by SIGKILL.
        let wasKilled: Bool
        let status: Int32
        let output: String
    }

    let program: String
    let arguments: [String]
    let settings: [String: String]

    /// Runs it to its end, which is SIGKILL after this time if it still runs then.
    func run(killedAfter delay: Duration?) async throws -> End {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("rial-\(UUID().uuidString).out")
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        let process = LocalStack.process(program, arguments, settings, output: handle)
        let end = { @Sendable in
            if process.isRunning { _ = kill(process.processIdentifier, SIGKILL) }
        }
        let killer = delay.map { delay in
            Task {
                try await Task.sleep(for: delay)
                end()
            }
        }
        defer { killer?.cancel() }
        try Task.checkCancellation()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
                process.terminationHandler = { _ in ended.resume() }
                do { try process.run() } catch { ended.resume(throwing: error) }
            }
        } onCancel: {
            end()
        }
        return End(
            wasKilled: process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL,
            status: process.terminationStatus, output: try String(contentsOf: file, encoding: .utf8))
    }
}
