import Foundation
public import Logging

/// Hears `NOTIFY` on a connection of its own, which it opens again whenever it is lost.
public final class PostgresListener: Sendable {
    private let url: String
    private let channels: [String]
    private let applicationName: String
    private let logger: Logger

    public init(url: String, channels: [String], applicationName: String, logger: Logger) {
        self.url = url
        self.channels = channels
        self.applicationName = applicationName
        self.logger = logger
    }

    /// The channels notified, without end until the task that iterates is cancelled.
    ///
    /// Each connecting counts as a notification of every channel, since one may have been missed before. While the reader is
    /// busy, notifications of one channel become one. Each call opens a connection; payloads are not passed on.
    public func notifications() -> AsyncStream<String> {
        let session = ListenerSession(
            url: url, channels: channels, applicationName: applicationName, logger: logger)
        return AsyncStream { await session.next() }
    }
}

/// The connection behind one stream of notifications.
private actor ListenerSession {
    private let url: String
    private let channels: [String]
    private let applicationName: String
    private let logger: Logger
    private var connection: PostgresConnection?
    private var pending: Set<String> = []
    private var failures = 0

    init(url: String, channels: [String], applicationName: String, logger: Logger) {
        self.url = url
        self.channels = channels
        self.applicationName = applicationName
        self.logger = logger
    }

    /// The next channel; `nil` when the task is cancelled.
    func next() async -> String? {
        while !Task.isCancelled {
            if let channel = pending.popFirst() { return channel }
            do {
                guard let connection else {
                    try await connect()
                    continue
                }
                // In slices, so that cancellation is seen; a notification ends the slice at once.
                pending = try await connection.waitForNotifications(milliseconds: 100)
            } catch {
                await disconnect()
                if failures == 0 { logger.warning("not listening", metadata: ["error": "\(error)"]) }
                failures += 1
                let limit = min(5.0, 0.1 * Double(1 << min(failures, 6)))
                try? await Task.sleep(for: .seconds(Double.random(in: limit / 2...limit)))
            }
        }
        await disconnect()
        return nil
    }

    private func connect() async throws {
        let connection = try await PostgresConnection.connect(url: url, applicationName: applicationName)
        self.connection = connection
        try await connection.listen(to: channels)
        failures = 0
        pending = Set(channels)
    }

    private func disconnect() async {
        await connection?.close()
        connection = nil
    }
}
