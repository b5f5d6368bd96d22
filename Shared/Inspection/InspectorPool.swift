import Models
import Blocking
import CSandbox
import Foundation

/// Reads untrusted files, each in its own sandboxed process: see `c2pa-inspector`.
///
/// A file that makes the process hang, crash or run out of memory yields a result, not an error. The process has ended when the call
/// returns.
public struct InspectorPool: Sendable {
    /// A JPEG without an image (SOI, JFIF's APP0, EOI) and without Content Credentials.
    private static let blankPhoto: [UInt8] =
        [0xff, 0xd8, 0xff, 0xe0, 0, 16] + Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0, 0xff, 0xd9]

    private let executable: String
    private let trustAnchorsFile: String
    private let timestampAnchorsFile: String
    private let ownAnchorsFile: String
    private let limits: InspectionLimits
    private let semaphore: FIFOSemaphore
    /// One per permit; each watches one process at a time.
    private let executors: [BlockingExecutor]

    /// - Parameters:
    ///   - executable: path of `c2pa-inspector`.
    ///   - trustAnchorsFile: PEM of certificates that vouch for signers; all three files are opened anew for every inspection.
    ///   - timestampAnchorsFile: PEM of certificates that vouch for time-stamp authorities.
    ///   - ownAnchorsFile: PEM of certificates that vouch for our own signers.
    ///   - concurrency: number of processes at once, at least one.
    ///   - waiting: number of further callers that may wait.
    public init(
        executable: String, trustAnchorsFile: String?, timestampAnchorsFile: String? = nil, ownAnchorsFile: String? = nil,
        concurrency: Int, waiting: Int, limits: InspectionLimits = InspectionLimits()
    ) {
        self.executable = executable
        self.trustAnchorsFile = trustAnchorsFile ?? "/dev/null"
        self.timestampAnchorsFile = timestampAnchorsFile ?? "/dev/null"
        self.ownAnchorsFile = ownAnchorsFile ?? "/dev/null"
        self.limits = limits
        let count = max(1, concurrency)
        semaphore = FIFOSemaphore(permits: count, queueLimit: waiting)
        executors = (0..<count).map { BlockingExecutor(label: "inspector-\($0)") }
    }

    /// Reads the Content Credentials of a file.
    ///
    /// - Parameters:
    ///   - fileDescriptor: a file, which has to stay open until the call returns. It is read from its start; its position does not move.
    ///   - mediaType: a MIME type of `MediaFormat`; `nil` to detect it from the file's first bytes.
    /// - Throws: ``InspectionError/busy`` at once if the queue is full.
    public func inspect(fileDescriptor: Int32, mediaType: String?) async throws(InspectionError) -> InspectionOutcome {
        let arguments = mediaType.map { ["--media-type", $0] } ?? []
        return try await run(arguments, on: fileDescriptor).outcome(limits)
    }

    /// Checks that files can be inspected here: the sandbox blocks what it must, the anchors are certificates, and a photo can be read.
    /// Call it at start.
    ///
    /// - Throws: ``InspectionError/unavailable(_:)`` with what is wrong.
    public func selfTest() async throws(InspectionError) {
        let photo = rial_anonymous_file("blank")
        guard photo >= 0 else { throw .unavailable("a file in memory: \(String(cString: strerror(errno)))") }
        defer { close(photo) }
        guard write(photo, Self.blankPhoto, Self.blankPhoto.count) == Self.blankPhoto.count else {
            throw .unavailable("no room for a file of \(Self.blankPhoto.count) bytes")
        }
        let test = try await run(["--self-test"], on: photo)
        if test.cause == KillSwitch.Cause.cancellation { throw .cancelled }
        guard test.cause == nil, test.ending.status == 0 else { throw .unavailable(test.sentence) }
        let outcome = try await inspect(fileDescriptor: photo, mediaType: "image/jpeg")
        guard case .report(let report) = outcome, report.state == .none else {
            throw .unavailable("a photo without Content Credentials was read as \(outcome)")
        }
    }

    private func run(_ arguments: [String], on descriptor: Int32) async throws(InspectionError) -> InspectorWatch.Result {
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
            await Self.caught { try await executors[permit].run { try runBlocking(arguments, on: descriptor, killSwitch) } }
        } onCancel: {
            killSwitch.pull(.cancellation)
        }
        return try result.get()
    }

    private static func caught<T>(_ body: () async throws -> T) async -> Result<T, InspectionError> {
        do {
            return .success(try await body())
        } catch let error as InspectionError {
            return .failure(error)
        } catch {
            return .failure(.unavailable("\(error)"))
        }
    }

    private func runBlocking(
        _ arguments: [String], on descriptor: Int32, _ killSwitch: KillSwitch
    ) throws(InspectionError) -> InspectorWatch.Result {
        if killSwitch.cause != nil { throw .cancelled }
        let start = ContinuousClock.now
        let bounds = [
            "--memory-bytes", "\(limits.memoryBytes)", "--cpu-seconds", "\(limits.cpuSeconds)", "--wall-seconds", "\(limits.orphanSeconds)",
        ]
        let files = InspectorProcess.Files(
            input: try OwnedDescriptor(reopening: descriptor), trustAnchors: try OwnedDescriptor(opening: trustAnchorsFile),
            timestampAnchors: try OwnedDescriptor(opening: timestampAnchorsFile), ownAnchors: try OwnedDescriptor(opening: ownAnchorsFile))
        let process = try InspectorProcess(executable: executable, arguments: arguments + bounds, files: files, limits: limits)
        return InspectorWatch(limits: limits, killSwitch: killSwitch).watch(process, since: start)
    }
}
