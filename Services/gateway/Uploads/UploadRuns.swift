import CaptureProtocol
import Foundation
import Persistence
import ServiceLifecycle
import Synchronization

/// The requests of this gateway that are adding to uploads, so that another, here or at another gateway, can ask them to store and stop.
final class UploadRuns: Sendable {
    /// How long a request that is asked to stop may keep reading while bytes arrive.
    static let windDown: Duration = .seconds(1)
    /// A body without new bytes for this long is waiting for its client.
    static let pause: Duration = .milliseconds(60)

    /// The name of this instance in `uploads.runner`.
    let instance = UUID()
    private let held = Mutex<[UploadID: [UInt64: Hold]]>([:])
    private let numbers = Atomic<UInt64>(0)

    /// A request that an upload belongs to.
    private struct Hold {
        /// `nil` before it adds to the upload and after it: it is then waited for.
        var run: Run?
        var isStopping = false
    }

    private struct Run {
        let writer: SegmentWriter
        let abort: @Sendable () -> Void
    }

    /// Runs `body`, the request that the upload belongs to.
    func holding<Result>(_ id: UploadID, _ body: (Holder) async throws -> Result) async throws -> Result {
        let number = numbers.wrappingAdd(1, ordering: .relaxed).newValue
        held.withLock { $0[id, default: [:]][number] = Hold() }
        defer {
            held.withLock { held in
                held[id]?[number] = nil
                if held[id]?.isEmpty == true { held[id] = nil }
            }
        }
        return try await body(Holder(runs: self, upload: id, number: number))
    }

    /// A request that an upload belongs to, for as long as ``UploadRuns/holding(_:_:)`` runs.
    struct Holder: Sendable {
        fileprivate let runs: UploadRuns
        fileprivate let upload: UploadID
        fileprivate let number: UInt64

        /// Runs `body`, which adds to the upload until it is asked to stop.
        /// - Parameter abort: ends the request's content with an error.
        func adding<Result>(
            by writer: SegmentWriter, abort: @escaping @Sendable () -> Void, _ body: () async throws -> Result
        ) async throws -> Result {
            set(Run(writer: writer, abort: abort))
            defer { set(nil) }
            return try await body()
        }

        private func set(_ run: Run?) { runs.held.withLock { $0[upload]?[number]?.run = run } }
    }

    /// Asks the requests that the upload belongs to, to store and stop. Those that do not add to it end by themselves.
    /// - Returns: whether there are any.
    @discardableResult
    func stop(_ id: UploadID) -> Bool {
        let (isHeld, runs) = held.withLock { held in
            var runs: [Run] = []
            for (number, hold) in held[id] ?? [:] {
                guard let run = hold.run, !hold.isStopping else { continue }
                held[id]?[number]?.isStopping = true
                runs.append(run)
            }
            return (held[id] != nil, runs)
        }
        // Nobody waits for these tasks: there is one for each request, as `isStopping` sees to, and it ends about ``windDown`` later.
        for run in runs { Task { await Self.windDown(run) } }
        return isHeld
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

/// Listens for other gateways that want to continue an upload.
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
