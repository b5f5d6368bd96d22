import Blocking
import Foundation
public import Logging

/// Receives `NOTIFY` on its own connection, which it reopens whenever it is lost.
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

    /// The names of notified channels, until the iterating task is cancelled.
    ///
    /// Each new connection counts as a notification of every channel, since some may have been missed. While the reader is busy,
    /// notifications of one channel are merged. Each call opens a connection; payloads are dropped.
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
    private var backoff = Backoff(initial: 0.2, limit: 5)
    private var hasLogged = false

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
                // Short waits, so that cancellation is noticed; a notification ends the wait at once.
                pending = try await connection.waitForNotifications(milliseconds: 100)
            } catch {
                await disconnect()
                if !hasLogged { logger.warning("not listening", metadata: ["error": "\(error)"]) }
                hasLogged = true
                try? await Task.sleep(for: backoff.next())
            }
        }
        await disconnect()
        return nil
    }

    private func connect() async throws {
        let connection = try await PostgresConnection.connect(url: url, applicationName: applicationName)
        self.connection = connection
        try await connection.listen(to: channels)
        backoff.reset()
        hasLogged = false
        pending = Set(channels)
    }

    private func disconnect() async {
        await connection?.close()
        connection = nil
    }
}
