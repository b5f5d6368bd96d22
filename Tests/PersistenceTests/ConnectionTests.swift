import Foundation
import Persistence
import TestSupport
import Testing

@Suite("Connection", .enabled(if: TestDatabase.isConfigured, TestDatabase.hint))
struct ConnectionTests {
    @Test("names the constraint that was violated, and never a value")
    func uniqueViolation() async throws {
        try await TestDatabase.with { database in
            let connection = try await database.connect()
            try await connection.execute(script: "CREATE TABLE t (name text CONSTRAINT one_name UNIQUE)")
            #expect(try await connection.affected("INSERT INTO t VALUES (\("secret"))") == 1)
            let error = await postgresError { try await connection.query("INSERT INTO t VALUES (\("secret"))") }
            #expect(error?.isUniqueViolation == true)
            #expect(error?.constraint == "one_name")
            #expect(error?.isTransient == false)
            #expect(error?.description.contains("secret") == false)
            #expect(error?.description.contains("INSERT INTO t") == true)
            await connection.close()
        }
    }

    @Test("runs a script of several statements and stops at the first failure")
    func scripts() async throws {
        try await TestDatabase.with { database in
            let connection = try await database.connect()
            try await connection.execute(script: "CREATE TABLE a (x int); INSERT INTO a VALUES (1); -- the end")
            try await connection.execute(script: "-- nothing")
            let error = await postgresError {
                try await connection.execute(script: "INSERT INTO a VALUES (2); SELECT 1 / 0; INSERT INTO a VALUES (3)")
            }
            #expect(error?.sqlState == "22012")
            #expect(try await connection.query("SELECT x FROM a").map { try $0.get("x", as: Int.self) } == [1])
            await connection.close()
        }
    }

    @Test("keeps a bounded number of prepared statements")
    func boundsPreparedStatements() async throws {
        try await TestDatabase.with { database in
            let connection = try await database.connect()
            for index in 0..<300 {
                let rows = try await connection.query("SELECT \(index) AS n, \(unescaped: String(index)) AS m")
                #expect(try rows.first?.get("n", as: Int.self) == index)
            }
            let rows = try await connection.query("SELECT count(*) AS n FROM pg_prepared_statements")
            #expect(try #require(rows.first).get("n", as: Int.self) <= 128)
            await connection.close()
        }
    }

    @Test("prepares again after a table has changed")
    func survivesChangedTables() async throws {
        try await TestDatabase.with { database in
            let connection = try await database.connect()
            try await connection.execute(script: "CREATE TABLE t (a int); INSERT INTO t VALUES (1)")
            #expect(try await connection.query("SELECT * FROM t").count == 1)
            try await connection.execute(script: "ALTER TABLE t ADD COLUMN b text DEFAULT 'new'")
            #expect(try await connection.query("SELECT * FROM t").first?.get("b") == "new")
            try await connection.execute(script: "DEALLOCATE ALL")
            #expect(try await connection.query("SELECT * FROM t").count == 1)
            await connection.close()
        }
    }

    @Test("ends a statement that takes too long and stays usable")
    func statementTimeout() async throws {
        try await TestDatabase.with { database in
            let connection = try await database.connect(statementTimeout: .milliseconds(100))
            let error = await postgresError { try await connection.query("SELECT pg_sleep(10)") }
            #expect(error?.sqlState == "57014")
            #expect(error?.isTransient == true)
            #expect(try await connection.query("SELECT 1").count == 1)
            await connection.close()
        }
    }

    @Test("refuses COPY instead of hanging")
    func refusesCopy() async throws {
        try await TestDatabase.with { database in
            let connection = try await database.connect()
            let error = await postgresError { try await connection.query("COPY (SELECT 1) TO STDOUT") }
            #expect(error?.code == .query)
            #expect(await postgresError { try await connection.query("SELECT 1") }?.code == .connectionFailed)
            await connection.close()
        }
    }

    @Test("throws after it was closed or lost")
    func afterTheEnd() async throws {
        try await TestDatabase.with { database in
            let closed = try await database.connect()
            await closed.close()
            #expect(await postgresError { try await closed.query("SELECT 1") }?.code == .closed)
            let lost = try await database.connect()
            try await database.endSessions()
            for _ in 0..<2 {
                let error = await postgresError { try await lost.query("SELECT 1") }
                #expect(error?.code == .connectionFailed)
                #expect(error?.isTransient == true)
            }
        }
    }

    @Test(
        "says that the server cannot be reached, without the password",
        arguments: [
            "postgresql://rial:hidden@127.0.0.1:1/rial", "host=/nonexistent dbname=rial password=hidden",
            "postgresql://rial:hidden@[/broken", "hidden",
        ])
    func unreachable(url: String) async {
        let error = await postgresError { _ = try await PostgresConnection.connect(url: url, applicationName: "tests") }
        #expect(error?.code == .connectionFailed)
        #expect(error?.isTransient == true)
        #expect(error?.description.contains("hidden") == false)
    }

    @Test("blocks no other task while it waits")
    func doesNotStarve() async throws {
        try await TestDatabase.with { database in
            let gate = try await database.connect()
            try await gate.query("SELECT pg_advisory_lock(hashtext(\(database.schema)))")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<12 {
                    group.addTask {
                        let connection = try await database.connect(statementTimeout: .seconds(60))
                        try await connection.query("SELECT pg_advisory_lock_shared(hashtext(\(database.schema)))")
                        await connection.close()
                    }
                }
                // At once, and this task goes on.
                try await eventually("all wait") {
                    let waiting = "SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))" as SQL
                    return try await gate.query(waiting).count == 12
                }
                try await gate.query("SELECT pg_advisory_unlock(hashtext(\(database.schema)))")
                try await group.waitForAll()
            }
            await gate.close()
        }
    }
}
