import Blocking
import CSandbox
import Foundation

/// A program that reads untrusted files, each in its own sandboxed process, at most so many at once. A file that makes the process hang,
/// crash or run out of memory yields a result, not an error. The process has ended when a call returns.
public struct SandboxedProgram: Sendable {
    /// How a process ended, and what it wrote.
    public struct Result: Sendable {
        /// Standard output, unless it went to a consumer.
        public internal(set) var output: [UInt8] = []
        /// The beginning of standard error.
        public internal(set) var errors: [UInt8] = []
        /// Why we killed it; `nil` if we did not.
        var cause: KillSwitch.Cause?
        var ending = KillSwitch.Ending(status: 0, peakBytes: 0)

        /// Whether it ended by itself and reported success.
        public var isSuccess: Bool { cause == nil && ending.status == 0 }
        /// Whether it could not start, regardless of the file, about which programs say 0 or 1: they end with 78 if something is missing
        /// and with 64 for arguments that they do not know (sysexits.h), the loader with 127 without a library.
        public var couldNotStart: Bool { cause == nil && ending.signal == nil && !(0...1).contains(ending.exitCode) }
        /// Whether something else than the file may have ended it: a signal from outside, such as the kernel's when memory runs out, or a
        /// clock that ran on while the process had no processor: the limit of its processor time was not reached.
        public var mayBeInterrupted: Bool {
            switch cause {
            case .deadline: true
            case .output, .cancellation: false
            case nil: ending.signal.map { [SIGKILL, SIGTERM, SIGHUP, SIGALRM].contains($0) } ?? false
            }
        }
        /// Peak resident memory in bytes.
        public var peakBytes: Int { ending.peakBytes }

        /// The first line that the program wrote to standard error, or how it ended.
        public var sentence: String {
            let text = String(decoding: errors, as: UTF8.self).prefix { !$0.isNewline }
            guard text.isEmpty else { return String(text.prefix(500)) }
            return "the program ended " + (ending.signal.map { "by signal \($0)" } ?? "with exit status \(ending.exitCode)")
        }

        /// How it ended.
        public var end: End {
            switch cause {
            case .deadline: return .timeout
            case .output: return .limit
            case .cancellation: return .cancelled
            case nil: break
            }
            guard let signal = ending.signal else { return ending.exitCode == 0 ? .done : .failed }
            return signal == SIGXCPU || signal == SIGALRM ? .timeout : .crash
        }

        /// How a process can end; the raw values are those in metrics.
        public enum End: String, CaseIterable, Sendable { case done, failed, timeout, limit, cancelled, crash }
    }

    /// Takes standard output as it comes, on the pool's thread.
    /// - Returns: false to end the process.
    public typealias Consumer = @Sendable (ArraySlice<UInt8>) -> Bool

    private let executable: String
    private let limits: InspectionLimits
    private let pause: ProcessPause?
    private let semaphore: FIFOSemaphore
    /// One per permit; each watches one process at a time.
    private let executors: [BlockingExecutor]

    /// - Parameters:
    ///   - executable: path of the program.
    ///   - concurrency: number of processes at once, at least one.
    ///   - waiting: number of further callers that may wait.
    ///   - pause: stops the processes for what is more urgent; `nil` for never.
    public init(
        executable: String, label: String, concurrency: Int, waiting: Int, limits: InspectionLimits, pause: ProcessPause? = nil
    ) {
        self.executable = executable
        self.limits = limits
        self.pause = pause
        let count = max(1, concurrency)
        semaphore = FIFOSemaphore(permits: count, queueLimit: waiting)
        executors = (0..<count).map { BlockingExecutor(label: "\(label)-\($0)") }
    }

    /// Runs the program on a file.
    /// - Parameters:
    ///   - descriptor: the file, which has to stay open until the call returns. It is read from its start; its position does not move.
    ///   - files: paths of files that become the program's descriptors 3, 4 …; opened anew.
    ///   - consumer: takes the output; `nil` to collect it.
    /// - Throws: ``InspectionError``: `busy` at once if the queue is full, `cancelled`, `unavailable`.
    public func run(
        _ arguments: [String], on descriptor: Int32, files: [String] = [], consumer: Consumer? = nil
    ) async throws(InspectionError) -> Result {
        let permit: Int
        do {
            permit = try await semaphore.acquire()
        } catch {
            switch error {
            case .cancelled: throw .cancelled
            case .queueFull, .timeout: throw .busy
            }
        }
        defer { semaphore.release(permit) }
        let killSwitch = KillSwitch()
        let result = await withTaskCancellationHandler {
            await Self.caught {
                try await executors[permit].run { try runBlocking(arguments, on: descriptor, files, killSwitch, consumer) }
            }
        } onCancel: {
            killSwitch.pull(.cancellation)
        }
        return try result.get()
    }

    /// Runs the program's self-test, which fails unless its sandbox is closed.
    /// - Throws: ``InspectionError/unavailable(_:)`` with what is wrong.
    public func selfTest(on descriptor: Int32, files: [String] = []) async throws(InspectionError) {
        let test = try await run(["--self-test"], on: descriptor, files: files)
        if test.cause == KillSwitch.Cause.cancellation { throw .cancelled }
        guard test.isSuccess else { throw .unavailable(test.sentence) }
    }

    private static func caught<T>(_ body: () async throws -> T) async -> Swift.Result<T, InspectionError> {
        do {
            return .success(try await body())
        } catch let error as InspectionError {
            return .failure(error)
        } catch {
            return .failure(.unavailable("\(error)"))
        }
    }

    private func runBlocking(
        _ arguments: [String], on descriptor: Int32, _ files: [String], _ killSwitch: KillSwitch, _ consumer: Consumer?
    ) throws(InspectionError) -> Result {
        if killSwitch.cause != nil { throw .cancelled }
        let start = ContinuousClock.now
        let input = try OwnedDescriptor(reopening: descriptor)
        let others = try DescriptorList(opening: files)
        let process = try InspectorProcess(
            executable: executable, arguments: arguments + limits.arguments, input: input, others: others, limits: limits)
        return InspectorWatch(limits: limits, killSwitch: killSwitch, pause: pause).watch(process, since: start, consumer)
    }
}
