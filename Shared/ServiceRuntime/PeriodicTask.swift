import Delivery
public import Logging
import Metrics
public import ServiceLifecycle

/// Runs a task at an interval until shutdown. A failure is logged and does not stop it.
public struct PeriodicTask: Service {
    let name: String
    let interval: Duration
    let clock: any Clock<Duration>
    let logger: Logger
    let body: @Sendable () async throws -> Void

    /// - Parameter clock: for the interval between two runs.
    public init(
        name: String, every interval: Duration, clock: any Clock<Duration> = ContinuousClock(), logger: Logger,
        _ body: @escaping @Sendable () async throws -> Void
    ) {
        self.name = name
        self.interval = interval
        self.clock = clock
        self.logger = logger
        self.body = body
    }

    public func run() async throws {
        while !Task.isEnding {
            do {
                try await body()
            } catch {
                logger.warning("periodic task failed", error: error, metadata: ["task": "\(name)"])
            }
            await cancelWhenGracefulShutdown { try? await clock.sleep(for: interval) }
        }
    }
}
