import Blocking
import Foundation
public import Logging
public import ServiceLifecycle
import Synchronization

/// A pool of up to `size` connections, opened on demand and leased for the duration of a closure.
///
/// The pool size times the number of processes must stay below the server's `max_connections`.
public final class PostgresPool: Service, Sendable {
    /// The maximum number of attempts for a transaction.
    static let transactionTries = 4
    /// How long the pool can still be used after ``run()`` was cancelled.
    static let farewell = Duration.seconds(4)

    private let url: String
    private let applicationName: String
    private let statementTimeout: Duration
    private let acquireTimeout: Duration
    private let logger: Logger
    private let ledger: Mutex<PoolLedger<PostgresConnection, Waiter>>
    private typealias Grant = PoolGrant<PostgresConnection>
    private typealias Waiter = CheckedContinuation<Grant, any Error>

    /// - Parameters:
    ///   - url: a libpq URI or `host=… dbname=…`.
    ///   - statementTimeout: the server ends a statement after this; zero means never.
    ///   - acquireTimeout: how long to wait for a lease.
    public init(
        url: String, size: Int = 8, applicationName: String, statementTimeout: Duration = .seconds(15),
        acquireTimeout: Duration = .seconds(10), logger: Logger
    ) {
        self.url = url
        self.applicationName = applicationName
        self.statementTimeout = statementTimeout
        self.acquireTimeout = acquireTimeout
        self.logger = logger
        ledger = Mutex(PoolLedger(size: size))
    }

    /// Leases a connection. Session state that `body` leaves behind, such as `SET`, stays with the connection; an open
    /// transaction closes it.
    /// - Throws: what `body` throws; ``PostgresError`` if there is no connection; `CancellationError` while it waits for one.
    public func withConnection<T: Sendable>(_ body: PostgresConnection.Body<T>) async throws -> T {
        try await lease {
            await $0.leaseIfOpen(body)
        } fresh: {
            await $0.lease(body)
        }
    }

    /// Runs `body` in a transaction (READ COMMITTED), which an error rolls back.
    ///
    /// After a serialization failure or a deadlock (40001, 40P01) it runs again from the start, up to three times, so its effects outside
    /// the database must be idempotent.
    /// - Throws: as ``withConnection(_:)``; ``PostgresError`` also if the transaction cannot begin or be committed.
    public func withTransaction<T: Sendable>(_ body: PostgresConnection.Body<T>) async throws -> T {
        var tries = 1
        // The one that goes on after a deadlock needs time to take the other's locks, or the two meet again.
        var backoff = Backoff(initial: 0.04, limit: 0.16)
        while true {
            do {
                return try await lease {
                    await $0.transactionIfOpen(body)
                } fresh: {
                    await $0.transaction(body)
                }
            } catch let error as PostgresError where error.shouldRetryTransaction && tries < Self.transactionTries {
                logger.debug("transaction runs again", metadata: ["error": "\(error)", "tries": "\(tries)"])
                try await Task.sleep(for: backoff.next())
                tries += 1
            }
        }
    }

    /// Runs one statement on any connection.
    /// - Throws: ``PostgresError``; `CancellationError` while it waits for a connection.
    public func query(_ statement: SQL) async throws -> [Row] { try await withConnection { try await $0.query(statement) } }

    /// Waits for shutdown, then closes; after a cancellation in ``farewell``. The pool can be used without this.
    public func run() async throws {
        do {
            try await gracefulShutdown()
        } catch {
            // Others are cancelled at the same time and have yet to note what they leave undone. A sleep of this task would end at once.
            _ = await Task { try? await Task.sleep(for: Self.farewell) }.value
        }
        await shutdown()
    }

    /// Closes idle connections now and leased ones when they are released; waiters get an error.
    public func shutdown() async {
        let (waiters, idle) = ledger.withLock { ledger in (ledger.close(), ledger.takeIdle()) }
        for waiter in waiters { waiter.resume(throwing: Self.closed) }
        for connection in idle { await connection.close() }
    }

    /// The number of tasks waiting for a connection.
    var waiting: Int { ledger.withLock { $0.waiting } }

    private static func noneFree(within limit: Duration) -> PostgresError {
        PostgresError(code: .timeout, message: "no connection became free within \(limit)")
    }
    private static var closed: PostgresError { PostgresError(code: .closed, message: "the pool was shut down") }

    private typealias Attempt = PostgresConnection.Attempt

    /// Leases a connection for as long as it is used.
    /// - Parameters:
    ///   - idle: uses an idle connection; returns `nil` if the server has closed it, and a fresh one is opened.
    ///   - fresh: uses a connection opened for this lease.
    private func lease<T>(
        _ idle: (PostgresConnection) async -> Attempt<T>?, fresh: (PostgresConnection) async -> Attempt<T>
    ) async throws -> T {
        if case .connection(let connection) = try await grant() {
            if let attempt = await idle(connection) { return try await end(attempt, on: connection) }
            await connection.close()
            logger.debug("idle connection was dead")
        }
        let connection = try await open()
        return try await end(await fresh(connection), on: connection)
    }

    /// Opens a connection for a lease; a failure releases the lease.
    private func open() async throws -> PostgresConnection {
        do {
            return try await PostgresConnection.connect(
                url: url, applicationName: applicationName, statementTimeout: statementTimeout)
        } catch {
            giveBack(nil)
            throw error
        }
    }

    private func grant() async throws -> Grant {
        let id = try ledger.withLock { ledger in
            guard !ledger.isClosed else { throw Self.closed }
            return ledger.makeID()
        }
        let limit = acquireTimeout
        if let grant = ledger.withLock({ $0.take() }) { return grant }
        let deadline = ContinuousClock.now + limit
        let timer = Task { [weak self] in
            try await Task.sleep(for: limit)
            self?.endWaiting(id, Self.noneFree(within: limit))
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in enqueue(waiter, id, until: deadline) }
        } onCancel: {
            endWaiting(id, CancellationError())
        }
    }

    /// Waits, unless a connection became free, the task was cancelled or its time has passed in the meantime.
    private func enqueue(_ waiter: Waiter, _ id: UInt64, until deadline: ContinuousClock.Instant) {
        let answer: Result<Grant, any Error>? = ledger.withLock { ledger in
            if ledger.isClosed { return .failure(Self.closed) }
            // The cancellation handler may have run already and will not run again.
            if Task.isCancelled { return .failure(CancellationError()) }
            if let grant = ledger.take() { return .success(grant) }
            // Nor will the timer.
            if ContinuousClock.now >= deadline { return .failure(Self.noneFree(within: acquireTimeout)) }
            ledger.wait(id, waiter)
            return nil
        }
        if let answer { waiter.resume(with: answer) }
    }

    private func endWaiting(_ id: UInt64, _ error: any Error) {
        ledger.withLock { $0.removeWaiter(id) }?.resume(throwing: error)
    }

    private func end<T>(_ attempt: Attempt<T>, on connection: PostgresConnection) async throws -> T {
        let isKept = attempt.isReusable && !ledger.withLock { $0.isClosed }
        if !isKept { await connection.close() }
        giveBack(isKept ? connection : nil)
        return try attempt.result.get()
    }

    private func giveBack(_ connection: PostgresConnection?) {
        if let (waiter, grant) = ledger.withLock({ $0.giveBack(connection) }) { waiter.resume(returning: grant) }
    }
}
