import Foundation
import Persistence
import Synchronization
import TestSupport
import Testing

@Suite("Transactions", .enabled(if: TestDatabase.isConfigured, TestDatabase.hint))
struct TransactionTests {
    private func withTable(_ body: (PostgresPool) async throws -> Void) async throws {
        try await TestDatabase.with { database in
            try await database.withPool { pool in
                try await pool.withConnection { connection in
                    try await connection.execute(script: "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL DEFAULT 0)")
                }
                try await body(pool)
            }
        }
    }

    private final class Counter: Sendable {
        private let count = Atomic<Int>(0)
        var value: Int { count.load(ordering: .sequentiallyConsistent) }
        func increment() { count.add(1, ordering: .sequentiallyConsistent) }
    }

    private func count(_ pool: PostgresPool) async throws -> Int {
        try #require(try await pool.query("SELECT count(*) AS n FROM t").first).get("n")
    }

    @Test("commit and return the body's value")
    func commits() async throws {
        try await withTable { pool in
            let value = try await pool.withTransaction { connection in
                try await connection.query("INSERT INTO t VALUES (1) RETURNING id").first?.get("id", as: Int.self)
            }
            #expect(value == 1)
            #expect(try await count(pool) == 1)
        }
    }

    @Test("may wait longer between two statements if they say so, until they end")
    func idle() async throws {
        @Sendable func limit(_ connection: PostgresConnection) async throws -> String {
            let rows = try await connection.query("SELECT current_setting('idle_in_transaction_session_timeout') AS value")
            return try #require(rows.first).get("value")
        }
        try await withTable { pool in
            let (before, during) = try await pool.withTransaction { connection in
                let before = try await limit(connection)
                try await connection.mayIdle(for: .seconds(1200))
                return (before, try await limit(connection))
            }
            #expect(before == "30s" && during == "20min")
            #expect(try await pool.withConnection { try await limit($0) } == "30s")
        }
    }

    @Test("hold a lock by name until they end")
    func locks() async throws {
        try await withTable { pool in
            try await pool.withTransaction { connection in
                try await connection.lock("a")
                let (held, other) = try await pool.withTransaction { (try await $0.tryLock("a"), try await $0.tryLock("b")) }
                #expect(!held && other)
            }
            #expect(try await pool.withTransaction { try await $0.tryLock("a") })
        }
    }

    @Test("are rolled back by an error, which is passed on")
    func rollsBack() async throws {
        struct Failure: Error {}
        try await withTable { pool in
            await #expect(throws: Failure.self) {
                try await pool.withTransaction { connection in
                    try await connection.query("INSERT INTO t VALUES (1)")
                    throw Failure()
                }
            }
            let rows = try await count(pool)
            #expect(rows == 0)
        }
    }

    @Test("fail when a caught error turned COMMIT into a rollback")
    func noticesRolledBackCommit() async throws {
        try await withTable { pool in
            let error = await postgresError {
                try await pool.withTransaction { connection in
                    try await connection.query("INSERT INTO t VALUES (1)")
                    _ = try? await connection.query("SELECT 1 / 0")
                }
            }
            #expect(error?.code == .commitRolledBack)
            let rows = try await count(pool)
            #expect(rows == 0)
        }
    }

    @Test("are retried from their start after a deadlock")
    func retriesDeadlocks() async throws {
        try await withTable { pool in
            _ = try await pool.query("INSERT INTO t VALUES (1), (2)")
            let runs = Counter()
            // Each waits until the other has locked its first row; the second attempt does not wait.
            let arrivals = Counter()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (first, second) in [(1, 2), (2, 1)] {
                    group.addTask {
                        try await pool.withTransaction { connection in
                            runs.increment()
                            try await connection.query("UPDATE t SET n = n + 1 WHERE id = \(first)")
                            arrivals.increment()
                            try await eventually("both have a row") { arrivals.value >= 2 }
                            try await connection.query("UPDATE t SET n = n + 1 WHERE id = \(second)")
                        }
                    }
                }
                try await group.waitForAll()
            }
            // A survivor that is not scheduled in time may meet the other once more.
            #expect((3...5).contains(runs.value))
            #expect(try await pool.query("SELECT n FROM t").map { try $0.get("n", as: Int.self) } == [2, 2])
        }
    }

    @Test("are tried four times when serialization keeps failing")
    func givesUp() async throws {
        try await withTable { pool in
            let runs = Counter()
            let error = await postgresError {
                try await pool.withTransaction { connection in
                    runs.increment()
                    try await connection.execute(script: "DO $$ BEGIN RAISE SQLSTATE '40001'; END $$")
                }
            }
            #expect(error?.sqlState == "40001")
            #expect(error?.isTransient == true)
            #expect(runs.value == 4)
        }
    }

    @Test("left open by one lease do not leak into the next")
    func openTransactionIsClosed() async throws {
        try await TestDatabase.with { database in
            try await database.withPool(size: 1) { pool in
                let first = try await pool.withConnection { connection in
                    let pid = try await connection.query("SELECT pg_backend_pid() AS pid").first?.get("pid", as: Int.self)
                    try await connection.execute(script: "BEGIN")
                    return pid
                }
                let second = try await pool.query("SELECT pg_backend_pid() AS pid").first?.get("pid", as: Int.self)
                #expect(first != second)
            }
        }
    }
}
