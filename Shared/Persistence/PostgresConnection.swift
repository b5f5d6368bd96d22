import Blocking
import Foundation
import Observability

/// One connection. libpq may block, so the actor has its own thread.
///
/// Its methods do not suspend, so each call is atomic. To run several statements without others in between, lease a connection with
/// ``PostgresPool/withConnection(_:)`` or ``PostgresPool/withTransaction(_:)``.
public actor PostgresConnection {
    private enum State {
        case open(ConnectionHandle)
        case lost
        case closed
    }

    private let executor = BlockingExecutor(label: "postgres")
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private var state: State
    private var statements = StatementCache(limit: 128)
    private let limits: StatementLimits

    private init(limits: StatementLimits) {
        state = .closed
        self.limits = limits
    }

    /// Connects and applies the session's settings.
    ///
    /// - Parameters:
    ///   - url: a libpq URI or `host=… dbname=…`.
    ///   - statementTimeout: the server ends a statement after this; zero means never.
    /// - Throws: ``PostgresError`` with `connectionFailed`.
    public static func connect(
        url: String, applicationName: String, statementTimeout: Duration = .seconds(15)
    ) async throws -> PostgresConnection {
        let connection = PostgresConnection(limits: StatementLimits(statement: statementTimeout))
        try await connection.open(url: url, applicationName: applicationName)
        return connection
    }

    private func open(url: String, applicationName: String) throws {
        state = .open(try ConnectionHandle.open(url: url, applicationName: applicationName))
        do {
            try execute(script: limits.sessionSettings)
        } catch {
            state = .closed
            throw error
        }
    }

    /// Runs one statement, which is prepared once per connection.
    /// - Throws: ``PostgresError``.
    @discardableResult
    public func query(_ statement: SQL) throws -> [Row] { try run(statement).rows() }

    /// Runs one statement and returns how many rows it inserted, updated, deleted or selected.
    /// - Throws: ``PostgresError``.
    public func affected(_ statement: SQL) throws -> Int { try run(statement).affectedRows }

    /// Runs several statements separated by semicolons, in one transaction unless they say otherwise.
    /// - Throws: ``PostgresError``.
    public func execute(script: String) throws { _ = try perform(script: script) }

    /// Closes the connection; later calls throw. The server rolls back an open transaction.
    public func close() { state = .closed }

    /// Runs `body` in a transaction (READ COMMITTED), which an error rolls back. For a connection of one's own, which only one task uses
    /// for transactions: it is not leased.
    ///
    /// Unlike ``PostgresPool/withTransaction(_:)`` it never tries twice.
    /// - Throws: what `body` throws; ``PostgresError`` if the transaction cannot begin or be committed.
    public func withTransaction<T: Sendable>(_ body: Body<T>) async throws -> T {
        try begin()
        return try await finishTransaction(body)
    }

    private func finishTransaction<T: Sendable>(_ body: Body<T>) async throws -> T {
        do {
            let value = try await body(self)
            try commit()
            return value
        } catch {
            if !isReusable { try? rollback() }
            throw error
        }
    }

    /// Uses a connection, on its thread: what it calls on the connection needs no hop to another one. What it awaits elsewhere frees the
    /// thread.
    public typealias Body<T> = nonisolated(nonsending) @Sendable (PostgresConnection) async throws -> T

    /// The result of a lease, and whether the connection may go back to the pool.
    struct Attempt<T: Sendable>: Sendable {
        let result: Result<T, any Error>
        let isReusable: Bool
    }

    func lease<T: Sendable>(_ body: Body<T>) async -> Attempt<T> { await attempt { () async throws in try await body(self) } }

    /// - Returns: `nil` if the server has closed the connection while it was idle; nothing was run.
    func leaseIfOpen<T: Sendable>(_ body: Body<T>) async -> Attempt<T>? { isStillOpen ? await lease(body) : nil }

    func transaction<T: Sendable>(_ body: Body<T>) async -> Attempt<T> {
        await attempt { () async throws in try await withTransaction(body) }
    }

    /// - Returns: `nil` if the server has closed the connection while it was idle, even if only BEGIN shows it; nothing was run.
    func transactionIfOpen<T: Sendable>(_ body: Body<T>) async -> Attempt<T>? {
        guard isStillOpen else { return nil }
        do {
            try begin()
        } catch let error as PostgresError where error.isTransient {
            return nil
        } catch {
            return Attempt(result: .failure(error), isReusable: isReusable)
        }
        return await attempt { () async throws in try await finishTransaction(body) }
    }

    private func attempt<T: Sendable>(_ use: () async throws -> T) async -> Attempt<T> {
        let result: Result<T, any Error>
        do { result = .success(try await use()) } catch { result = .failure(error) }
        return Attempt(result: result, isReusable: isReusable)
    }

    func begin() throws { _ = try traced("BEGIN") { try perform(script: "BEGIN") } }

    /// - Throws: ``PostgresError`` with `commitRolledBack` if a statement has failed before: the server then responds with `ROLLBACK`,
    ///   without an error.
    func commit() throws {
        let tag = try traced("COMMIT") { try perform(script: "COMMIT") }.commandTag
        guard tag == "COMMIT" else {
            throw PostgresError(code: .commitRolledBack, message: "COMMIT was answered by \(tag)")
        }
    }

    func rollback() throws { _ = try traced("ROLLBACK") { try perform(script: "ROLLBACK") } }

    /// Whether this connection may go back to the pool: open, and outside any transaction.
    var isReusable: Bool {
        guard case .open(let handle) = state else { return false }
        return handle.isAlive && handle.isIdle
    }

    /// Whether the server has kept the connection open while it was idle.
    var isStillOpen: Bool {
        guard case .open(let handle) = state else { return false }
        return handle.isStillOpen
    }

    var isInTransaction: Bool {
        guard case .open(let handle) = state else { return false }
        return handle.isInTransaction
    }

    /// Waits up to `milliseconds` for notifications, or until the pipe is woken.
    func waitForNotifications(milliseconds: Int, or pipe: WakePipe) throws -> Set<PostgresNotification> {
        try withHandle { handle in
            let already = try handle.takeNotifications()
            if !already.isEmpty || !handle.waitForInput(milliseconds: milliseconds, or: pipe) { return already }
            return try handle.takeNotifications()
        }
    }

    func listen(to channels: [String]) throws {
        let script = try withHandle { handle in
            try channels.map { "LISTEN \(try handle.quotedIdentifier($0));" }.joined(separator: " ")
        }
        try execute(script: script)
    }

    func quotedIdentifier(_ name: String) throws -> String { try withHandle { try $0.quotedIdentifier(name) } }

    func passwordVerifier(of role: String, password: String) throws -> String {
        try withHandle { try $0.passwordVerifier(of: role, password: password) }
    }

    private func run(_ statement: SQL) throws -> ResultHandle {
        guard statement.parameters.count <= 65_535 else {
            throw PostgresError(code: .query, message: "more than 65,535 parameters")
        }
        let key = StatementCache.Key(text: statement.text, types: statement.parameters.map(\.type))
        return try traced(key.text) {
            do {
                return try runPrepared(key, statement.parameters)
            } catch let error as PostgresError where error.isStalePlan {
                // The tables changed after the statement was prepared, or the server has dropped it.
                try forget(statements.remove(key))
                guard isReusable else { throw error }
                return try runPrepared(key, statement.parameters)
            }
        }
    }

    /// Runs one statement as a span of its own, if this task's trace is collected.
    private func traced(_ text: String, _ body: () throws -> ResultHandle) throws -> ResultHandle {
        guard let span = ClientSpan.begin() else { return try body() }
        do {
            let result = try body()
            span.end(of: text)
            return result
        } catch {
            span.end(of: text, error)
            throw error
        }
    }

    private func runPrepared(_ key: StatementCache.Key, _ parameters: [SQL.Parameter]) throws -> ResultHandle {
        guard !key.text.utf8.contains(0) else { throw PostgresError(code: .query, message: "NUL in a statement") }
        let name = try statements.name(for: key) ?? prepare(key)
        return try withHandle { handle in
            try check(handle.execute(prepared: name, parameters: parameters, until: limits.deadline), key.text)
        }
    }

    private func prepare(_ key: StatementCache.Key) throws -> String {
        if statements.isFull { try forget(statements.removeLeastRecentlyUsed()) }
        let name = statements.makeName()
        _ = try withHandle { handle in
            try check(handle.prepare(key.text, name: name, types: key.types, until: limits.deadline), key.text)
        }
        statements.insert(key, named: name)
        return name
    }

    private func forget(_ name: String?) throws {
        // A failed transaction allows no DEALLOCATE; the statement then stays on the server until the connection ends.
        guard let name, isReusable || isInTransaction else { return }
        do {
            try execute(script: "DEALLOCATE \(name)")
        } catch let error as PostgresError where error.sqlState == "26000" {
            return
        }
    }

    private func perform(script: String) throws -> ResultHandle {
        guard !script.utf8.contains(0) else { throw PostgresError(code: .query, message: "NUL in a statement") }
        return try withHandle { try check($0.execute(script: script, until: limits.deadline), script) }
    }

    private func check(_ result: ResultHandle, _ text: String) throws -> ResultHandle {
        if result.isError { throw result.error(in: text) }
        return result
    }

    /// Passes the handle to `body`; if the connection fails, it is marked as lost.
    private func withHandle<T>(_ body: (ConnectionHandle) throws -> T) throws -> T {
        switch state {
        case .closed: throw PostgresError(code: .closed, message: "the connection was closed")
        case .lost: throw PostgresError(code: .connectionFailed, message: "the connection was lost")
        case .open(let handle):
            do {
                return try body(handle)
            } catch {
                let code = (error as? PostgresError)?.code
                if code == .connectionFailed || code == .timeout || !handle.isAlive || handle.isBusy { state = .lost }
                if !handle.isAlive, var error = error as? PostgresError {
                    error.code = .connectionFailed
                    throw error
                }
                throw error
            }
        }
    }
}

extension PostgresError {
    /// "cached plan must not change result type", or "prepared statement does not exist".
    fileprivate var isStalePlan: Bool { sqlState == "26000" || (sqlState == "0A000" && message.hasPrefix("cached plan")) }
}
