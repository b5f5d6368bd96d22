import Foundation
import Logging
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@testable import Persistence

@Suite("Pool", .enabled(if: TestDatabase.isConfigured, TestDatabase.hint))
struct PoolTests {
    private func pid(_ connection: PostgresConnection) async throws -> Int {
        try #require(try await connection.query("SELECT pg_backend_pid() AS pid").first).get("pid")
    }

    /// Signals that its service group is running.
    private struct Started: Service {
        let mark: AsyncStream<Void>.Continuation
        func run() async throws {
            mark.finish()
            try await gracefulShutdown()
        }
    }

    private final class InUse: Sendable {
        let pids = Mutex<Set<Int>>([])
    }

    @Test("opens no more connections than its size, and uses them again")
    func isBounded() async throws {
        try await TestDatabase.with { database in
            try await database.withPool(size: 3) { pool in
                let pids = try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<60 { group.addTask { try await pool.withConnection { try await pid($0) } } }
                    return try await group.reduce(into: Set()) { $0.insert($1) }
                }
                #expect((1...3).contains(pids.count))
            }
        }
    }

    @Test("runs what uses a connection on its thread, on which statements and transactions need no other")
    func thread() async throws {
        try await TestDatabase.with { database in
            try await database.withPool(size: 1) { pool in
                let use: PostgresConnection.Body<Bool> = { connection in
                    let first = ThreadID()
                    let during = await connection.thread
                    try await connection.query("SELECT 1")
                    return [during, ThreadID(), await connection.thread, ThreadID()].allSatisfy { $0 == first }
                }
                let leased = try await pool.withConnection(use)
                let transaction = try await pool.withTransaction(use)
                let both = try await pool.withConnection { try await $0.withTransaction(use) }
                #expect(leased && transaction && both)
            }
        }
    }

    @Test("lets nobody share a leased connection")
    func leasesAreExclusive() async throws {
        try await TestDatabase.with { database in
            try await database.withPool(size: 2) { pool in
                let inUse = InUse()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<40 {
                        group.addTask {
                            try await pool.withConnection { connection in
                                let pid = try await pid(connection)
                                #expect(inUse.pids.withLock { $0.insert(pid).inserted })
                                try await connection.query("SELECT pg_sleep(0.005)")
                                inUse.pids.withLock { _ = $0.remove(pid) }
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
    }

    @Test("gives up waiting after the limit, and serves those behind")
    func acquireTimeout() async throws {
        try await TestDatabase.with { database in
            try await database.withPool(size: 1, acquireTimeout: .milliseconds(200)) { pool in
                try await pool.withConnection { _ in
                    let start = ContinuousClock.now
                    let error = await postgresError { try await pool.ping() }
                    #expect(error?.code == .timeout)
                    #expect(error?.isTransient == true)
                    #expect(start.duration(to: .now) < .seconds(10))
                }
                try await pool.ping()
            }
        }
    }

    @Test("gives up also if the time has passed before the wait began", .timeLimit(.minutes(1)))
    func acquireTimeoutOver() async throws {
        try await TestDatabase.with { database in
            try await database.withPool(size: 1, acquireTimeout: .zero) { pool in
                try await pool.withConnection { _ in
                    // The timer of each may have fired before it waits, and is no help then.
                    for _ in 0..<1000 {
                        let error = await postgresError { try await pool.ping() }
                        #expect(error?.code == .timeout)
                    }
                }
                try await pool.ping()
            }
        }
    }

    @Test("forgets a cancelled waiter and serves the others")
    func cancelledWaiter() async throws {
        try await TestDatabase.with { database in
            try await database.withPool(size: 1) { pool in
                let (others, cancelled) = try await pool.withConnection { _ in
                    let first = Task { try await pool.ping() }
                    let cancelled = Task { try await pool.ping() }
                    let last = Task { try await pool.ping() }
                    try await eventually("all wait") { pool.waiting == 3 }
                    cancelled.cancel()
                    // The call ends although the connection is still leased.
                    let result = await cancelled.result
                    return ([first, last], result)
                }
                #expect(throws: CancellationError.self) { try cancelled.get() }
                for task in others { try await task.value }
            }
        }
    }

    @Test("returns the connection when the body throws or is cancelled")
    func returnsOnFailure() async throws {
        struct Failure: Error {}
        try await TestDatabase.with { database in
            try await database.withPool(size: 1) { pool in
                for _ in 0..<5 {
                    await #expect(throws: Failure.self) { try await pool.withConnection { _ in throw Failure() } }
                }
                let (begun, mark) = AsyncStream.makeStream(of: Void.self)
                let task = Task {
                    try await pool.withTransaction { connection in
                        try await connection.query("SELECT 1")
                        mark.finish()
                        try await Task.sleep(for: .seconds(60))
                    }
                }
                for await _ in begun {}
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
                try await pool.ping()
            }
        }
    }

    @Test("recovers when the server has ended every session, without an error")
    func recovers() async throws {
        try await TestDatabase.with { database in
            try await database.withPool(size: 3) { pool in
                try await pool.withConnection { _ in try await pool.withConnection { _ in try await pool.ping() } }
                try await database.endSessions()
                for _ in 0..<6 { try await pool.ping() }
                try await database.endSessions()
                for _ in 0..<6 { _ = try await pool.withTransaction { try await $0.query("SELECT 1") } }
            }
        }
    }

    @Test("passes on the loss of a connection in the middle of a transaction, and goes on")
    func lostInTransaction() async throws {
        try await TestDatabase.with { database in
            try await database.withPool(size: 1) { pool in
                let error = await postgresError {
                    try await pool.withTransaction { connection in
                        try await connection.query("SELECT 1")
                        try await database.endSessions()
                        try await connection.query("SELECT 1")
                    }
                }
                #expect(error?.code == .connectionFailed)
                #expect(error?.isTransient == true)
                try await pool.ping()
            }
        }
    }

    @Test("throws a transient error while the server is away, and holds no place for it")
    func serverAway() async throws {
        let pool = PostgresPool(
            url: "postgresql://rial@127.0.0.1:1/rial", size: 1, applicationName: "tests", logger: Logger(label: "tests"))
        for _ in 0..<3 {
            #expect(await postgresError { try await pool.ping() }?.isTransient == true)
            #expect(await postgresError { try await pool.withTransaction { _ in } }?.isTransient == true)
        }
        await pool.shutdown()
    }

    @Test("serves for a while what is cancelled with it, and then ends")
    func cancelled() async throws {
        try await TestDatabase.with { database in
            let pool = PostgresPool(url: database.url, size: 2, applicationName: database.schema, logger: Logger(label: "tests"))
            let running = Task { try await pool.run() }
            let start = ContinuousClock.now
            running.cancel()
            try await Task.sleep(for: .milliseconds(200))
            let refusal = await postgresError { try await pool.ping() }
            // On a machine that stood still meanwhile it may have ended.
            #expect(refusal == nil || start.duration(to: .now) >= PostgresPool.farewell)
            try await running.value
            #expect(start.duration(to: .now) < PostgresPool.farewell * 3)
            #expect(await postgresError { try await pool.ping() }?.code == .closed)
        }
    }

    /// Runs the body with a pool of two whose service group runs, and with what shuts it down.
    private func withService(
        _ database: TestDatabase,
        _ body: (PostgresPool, _ shutDown: @escaping @Sendable () async throws -> Void) async throws -> Void
    ) async throws {
        let pool = PostgresPool(url: database.url, size: 2, applicationName: database.schema, logger: Logger(label: "tests"))
        let (begun, mark) = AsyncStream.makeStream(of: Void.self)
        let group = ServiceGroup(services: [pool, Started(mark: mark)], logger: Logger(label: "tests"))
        let running = Task { try await group.run() }
        for await _ in begun {}
        let shutDown = { @Sendable () async throws -> Void in
            await group.triggerGracefulShutdown()
            try await running.value
        }
        do {
            try await body(pool, shutDown)
        } catch {
            try? await shutDown()
            throw error
        }
    }

    @Test("ends idle sessions at shutdown, and leases no more", .timeLimit(.minutes(1)))
    func shutsDownIdle() async throws {
        try await TestDatabase.with { database in
            try await withService(database) { pool, shutDown in
                try await pool.withConnection { _ in try await pool.ping() }
                #expect(try await database.sessions() == 2)
                try await shutDown()
                #expect(await postgresError { try await pool.ping() }?.code == .closed)
                try await eventually("both sessions have ended") { try await database.sessions() == 0 }
            }
        }
    }

    @Test("ends waiters at shutdown, and leased sessions when they are released", .timeLimit(.minutes(1)))
    func shutsDownLeased() async throws {
        try await TestDatabase.with { database in
            try await withService(database) { pool, shutDown in
                try await pool.withConnection { first in
                    try await pool.withConnection { second in
                        // As many as the pool has.
                        let pids = [try await pid(first), try await pid(second)]
                        let waiter = Task { try await pool.ping() }
                        try await eventually("one waits") { pool.waiting == 1 }
                        try await shutDown()
                        #expect(await postgresError { try await waiter.value }?.code == .closed)
                        #expect(pool.waiting == 0)
                        // Who has a connection still uses it.
                        let still = [try await pid(first), try await pid(second)]
                        #expect(still == pids && pids[0] != pids[1])
                        #expect(try await database.sessions() == 2)
                    }
                }
                #expect(await postgresError { try await pool.ping() }?.code == .closed)
                try await eventually("both sessions have ended") { try await database.sessions() == 0 }
            }
        }
    }
}

/// The thread that it is made on.
private struct ThreadID: Equatable {
    private let id = UInt(pthread_self())
}

extension PostgresConnection {
    fileprivate var thread: ThreadID { ThreadID() }
}
