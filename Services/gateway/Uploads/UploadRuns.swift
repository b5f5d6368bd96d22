import CaptureProtocol
import Foundation
import Persistence
import ServiceLifecycle
import Synchronization

/// The requests of this gateway that are adding to uploads, so that another, here or at another gateway, can ask them to store and stop.
final class UploadRuns: Sendable {
    /// How long a request that is asked to stop may go on reading while bytes keep coming.
    static let windDown: Duration = .seconds(1)
    /// A body that brought nothing for so long waits for its client.
    static let pause: Duration = .milliseconds(60)

    /// The name of this instance in `uploads.runner`.
    let instance = UUID()
    /// By upload and number; `nil` for one that is completing it.
    private let running = Mutex<[UploadID: [UInt64: Run?]]>([:])
    private let numbers = Atomic<UInt64>(0)

    private struct Run {
        let writer: SegmentWriter
        let abort: @Sendable () -> Void
    }

    /// Runs `body`, which adds to the upload until it is asked to stop.
    /// - Parameter abort: ends the request's content with an error.
    func adding<Result>(
        to id: UploadID, _ writer: SegmentWriter, abort: @escaping @Sendable () -> Void, _ body: () async throws -> Result
    ) async throws -> Result {
        try await with(id, Run(writer: writer, abort: abort), body)
    }

    /// Runs `body`, which makes a capture of the upload and cannot be stopped: who asks it to, waits for its end.
    func completing<Result>(_ id: UploadID, _ body: () async throws -> Result) async throws -> Result { try await with(id, nil, body) }

    private func with<Result>(_ id: UploadID, _ run: Run?, _ body: () async throws -> Result) async throws -> Result {
        let number = numbers.wrappingAdd(1, ordering: .relaxed).newValue
        running.withLock { _ = $0[id, default: [:]].updateValue(run, forKey: number) }
        defer {
            running.withLock { running in
                _ = running[id]?.removeValue(forKey: number)
                if running[id]?.isEmpty == true { running[id] = nil }
            }
        }
        return try await body()
    }

    /// Asks the upload's requests to store and stop.
    /// - Returns: whether there are any.
    @discardableResult
    func stop(_ id: UploadID) -> Bool {
        let runs = running.withLock { $0[id].map { Array($0.values) } ?? [] }
        for case let run? in runs { Task { await Self.windDown(run) } }
        return !runs.isEmpty
    }

    /// Lets the request read what its client has already sent, then ends its body.
    private static func windDown(_ run: Run) async {
        let deadline = ContinuousClock.now + windDown
        var seen: Int64
        var isBusy: Bool
        repeat {
            seen = await run.writer.taken
            try? await Task.sleep(for: pause)
            isBusy = await run.writer.isBusy
            if await run.writer.hasEnded { return }
        } while await (run.writer.taken != seen || isBusy) && ContinuousClock.now < deadline
        run.abort()
    }
}

/// Listens for other gateways that want to go on with an upload.
struct UploadStopListener: Service {
    let listener: PostgresListener
    let runs: UploadRuns

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await message in listener.messages() {
                if let id = UploadID(message.payload) { runs.stop(id) }
            }
        }
    }
}
