import Blocking
import Foundation
public import Logging
public import Messaging
import Models
public import ServiceLifecycle

/// Creates missing topics: at start, and when the broker does not know a topic.
public final class TopicCreator: Service, Sendable {
    private let create: @Sendable () async throws -> Void
    private let clock: any Clock<Duration>
    private let logger: Logger

    /// - Parameters:
    ///   - clock: for the backoff between attempts.
    ///   - create: creates the missing topics.
    public init(
        clock: any Clock<Duration> = ContinuousClock(), logger: Logger, create: @escaping @Sendable () async throws -> Void
    ) {
        self.create = create
        self.clock = clock
        self.logger = logger
    }

    public convenience init(configuration: KafkaConfiguration, partitions: Int32, logger: Logger) {
        let admin = KafkaAdmin(configuration)
        self.init(logger: logger) { try await admin.createTopics(Topic.all.map(\.rawValue), partitions: partitions) }
    }

    /// Retries until the topics exist, then waits for shutdown.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            var backoff = Backoff(limit: 2)
            while !Task.isCancelled {
                if await self.ensure() { break }
                try? await self.clock.sleep(for: backoff.next())
            }
        }
        try? await gracefulShutdown()
    }

    /// - Returns: false if the topics could not be created.
    @discardableResult
    public func ensure() async -> Bool {
        do {
            try await create()
            return true
        } catch {
            logger.warning("topics not created", error: error)
            return false
        }
    }
}
