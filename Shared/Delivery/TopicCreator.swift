import Blocking
import Foundation
import Logging
import Messaging
import Models
import ServiceLifecycle

/// Creates the system's topics where they are missing: at start, and when the broker says it does not know one.
public final class TopicCreator: Service, Sendable {
    private let admin: KafkaAdmin
    private let partitions: Int32
    private let logger: Logger

    public init(configuration: KafkaConfiguration, partitions: Int32, logger: Logger) {
        admin = KafkaAdmin(configuration)
        self.partitions = partitions
        self.logger = logger
    }

    /// Tries until the topics exist, then rests until shutdown.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            var backoff = Backoff(limit: 2)
            while !Task.isCancelled {
                if await self.ensure() { break }
                try? await Task.sleep(for: backoff.next())
            }
        }
        try? await gracefulShutdown()
    }

    /// - Returns: false if the broker could not be asked.
    @discardableResult
    public func ensure() async -> Bool {
        do {
            try await admin.createTopics(Topic.all.map(\.rawValue), partitions: partitions)
            return true
        } catch {
            logger.warning("topics not created", error: error)
            return false
        }
    }
}
