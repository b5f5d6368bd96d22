import Blocking
import Foundation
public import Logging

/// A `NOTIFY`: its channel, and the payload that it was given, empty without one.
public struct PostgresNotification: Sendable, Hashable {
    public let channel: String
    public let payload: String
}

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
        let session = session(keepsPayloads: false)
        return AsyncStream { await session.next()?.channel }
    }

    /// Each notification with its payload, until the iterating task is cancelled.
    ///
    /// Those sent while there is no connection are missed. Each call opens a connection.
    public func messages() -> AsyncStream<PostgresNotification> {
        let session = session(keepsPayloads: true)
        return AsyncStream { await session.next() }
    }

    private func session(keepsPayloads: Bool) -> ListenerSession {
        ListenerSession(
            url: url, channels: channels, keepsPayloads: keepsPayloads, applicationName: applicationName, logger: logger)
    }
}

/// The connection behind one stream of notifications.
private actor ListenerSession {
    private let url: String
    private let channels: [String]
    /// Otherwise notifications of one channel are merged, and a new connection counts as one of each.
    private let keepsPayloads: Bool
    private let applicationName: String
    private let logger: Logger
    /// Woken by a cancellation.
    private let pipe = WakePipe()
    private var connection: PostgresConnection?
    private var pending: Set<PostgresNotification> = []
    private var backoff = Backoff(initial: 0.2, limit: 5)
    private var hasLogged = false

    init(url: String, channels: [String], keepsPayloads: Bool, applicationName: String, logger: Logger) {
        self.url = url
        self.channels = channels
        self.keepsPayloads = keepsPayloads
        self.applicationName = applicationName
        self.logger = logger
    }

    /// The next notification; `nil` when the task is cancelled.
    func next() async -> PostgresNotification? {
        await withTaskCancellationHandler {
            await receive()
        } onCancel: {
            pipe.wake()
        }
    }

    private func receive() async -> PostgresNotification? {
        while !Task.isCancelled {
            if let notification = pending.popFirst() { return notification }
            do {
                guard let connection else {
                    try await connect()
                    continue
                }
                // A notification and a cancellation end the wait at once.
                let received = try await connection.waitForNotifications(milliseconds: 1000, or: pipe)
                pending = keepsPayloads ? received : Self.ofChannels(received.map(\.channel))
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
        pending = keepsPayloads ? [] : Self.ofChannels(channels)
    }

    private static func ofChannels(_ channels: [String]) -> Set<PostgresNotification> {
        Set(channels.map { PostgresNotification(channel: $0, payload: "") })
    }

    private func disconnect() async {
        await connection?.close()
        connection = nil
    }
}
