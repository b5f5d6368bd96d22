import Foundation
import Logging
import Persistence
import TestSupport
import Testing

@Suite("Migrator", .enabled(if: TestDatabase.isConfigured, TestDatabase.hint))
struct MigratorTests {
    private let logger = Logger(label: "tests")
    private let first = Migration(version: 1, name: "one", sql: "CREATE TABLE one (id int); INSERT INTO one VALUES (1);")
    private let second = Migration(version: 2, name: "two", sql: "-- why: ü\nCREATE TABLE two (id int)")

    @Test("applies what is missing, in order, once")
    func applies() async throws {
        try await TestDatabase.with { database in
            #expect(try await Migrator(migrations: [first]).migrate(url: database.url, logger: logger) == [1])
            #expect(try await Migrator(migrations: [second, first]).migrate(url: database.url, logger: logger) == [2])
            #expect(try await Migrator(migrations: [first, second]).migrate(url: database.url, logger: logger) == [])
            let connection = try await database.connect()
            #expect(try await connection.query("SELECT id FROM one").count == 1)
            #expect(try await connection.query("SELECT id FROM two").isEmpty)
            await connection.close()
        }
    }

    @Test("applies once when several start together")
    func together() async throws {
        try await TestDatabase.with { database in
            let applied = try await withThrowingTaskGroup(of: [Int].self) { group in
                for _ in 0..<5 {
                    group.addTask { try await Migrator(migrations: [first, second]).migrate(url: database.url, logger: logger) }
                }
                return try await group.reduce([], +)
            }
            #expect(applied == [1, 2])
        }
    }

    @Test("refuses a history that has changed")
    func changedHistory() async throws {
        try await TestDatabase.with { database in
            try await Migrator(migrations: [first, second]).migrate(url: database.url, logger: logger)
            let changed = Migration(version: 1, name: "one", sql: first.sql + " ")
            let third = Migration(version: 3, name: "three", sql: "CREATE TABLE three (id int)")
            for migrations in [[changed, second, third], [second, third], [first, third], [first]] {
                let error = await postgresError {
                    try await Migrator(migrations: migrations).migrate(url: database.url, logger: logger)
                }
                #expect(error?.code == .migration)
            }
            let connection = try await database.connect()
            #expect(try await connection.query("SELECT to_regclass('three') AS t").first?.getOptional("t", as: String.self) == nil)
            await connection.close()
        }
    }

    @Test("leaves a newer database alone if programs of this version work on it, and refuses it if they do not")
    func newer() async throws {
        let adds = Migration(version: 3, name: "adds", sql: "-- Why.\n-- needs: 2\n\nALTER TABLE one ADD COLUMN more int")
        let takesAway = Migration(version: 4, name: "takes_away", sql: "-- needs: 3\nALTER TABLE one DROP COLUMN id")
        try await TestDatabase.with { database async throws in
            let old = Migrator(migrations: [first, second])
            #expect(try await Migrator(migrations: [first, second, adds]).migrate(url: database.url, logger: logger) == [1, 2, 3])
            #expect(try await old.migrate(url: database.url, logger: logger) == [])
            let older = await postgresError { try await Migrator(migrations: [first]).migrate(url: database.url, logger: logger) }
            #expect(
                older?.message == "the database has migration 2, which needs programs that know migration 2; those of this version know 1")
            #expect(try await Migrator(migrations: [first, second, adds, takesAway]).migrate(url: database.url, logger: logger) == [4])
            let error = await postgresError { try await old.migrate(url: database.url, logger: logger) }
            #expect(
                error?.message == "the database has migration 4, which needs programs that know migration 3; those of this version know 2")
            #expect(try await Migrator(migrations: [first, second, adds]).migrate(url: database.url, logger: logger) == [])
        }
    }

    @Test("goes on with a database whose history does not say what it needs")
    func withoutNeeds() async throws {
        try await TestDatabase.with { database in
            try await Migrator(migrations: [first, second]).migrate(url: database.url, logger: logger)
            let connection = try await database.connect()
            try await connection.execute(script: "ALTER TABLE rial_migrations DROP COLUMN needs")
            await connection.close()
            let error = await postgresError { try await Migrator(migrations: [first]).migrate(url: database.url, logger: logger) }
            #expect(error?.code == .migration)
            let third = Migration(version: 3, name: "three", sql: "CREATE TABLE three (id int)")
            #expect(try await Migrator(migrations: [first, second, third]).migrate(url: database.url, logger: logger) == [3])
        }
    }

    @Test("undoes a file that fails, keeps those before it, and can go on later")
    func failingFile() async throws {
        try await TestDatabase.with { database in
            let broken = Migration(version: 2, name: "broken", sql: "CREATE TABLE half (id int); SELECT 1 / 0")
            let error = await postgresError {
                try await Migrator(migrations: [first, broken]).migrate(url: database.url, logger: logger)
            }
            #expect(error?.code == .migration)
            #expect(error?.message.contains("2_broken") == true)
            #expect(error?.sqlState == "22012")
            #expect(try await Migrator(migrations: [first, second]).migrate(url: database.url, logger: logger) == [2])
            let connection = try await database.connect()
            #expect(try await connection.query("SELECT to_regclass('half') AS t").first?.getOptional("t", as: String.self) == nil)
            await connection.close()
        }
    }

    @Test("waits for a lock for moments only, lets others go on in between, and applies the file once it has the lock")
    func lockHeld() async throws {
        try await TestDatabase.with { database async throws in
            try await Migrator(migrations: [first]).migrate(url: database.url, logger: logger)
            let adds = Migration(version: 2, name: "adds", sql: "CREATE TABLE half (id int); ALTER TABLE one ADD COLUMN more int")
            let (holder, reader) = (try await database.connect(), try await database.connect())
            try await holder.execute(script: "BEGIN; SELECT FROM one")
            let migrator = Migrator(migrations: [first, adds])
            async let applied = migrator.migrate(url: database.url, logger: logger)
            try await eventually("it waits for the lock") {
                try await !reader.query("SELECT FROM pg_locks WHERE relation = 'one'::regclass AND NOT granted").isEmpty
            }
            // Waits behind the migration, until that gives way.
            #expect(try await reader.query("SELECT id FROM one").count == 1)
            try await holder.execute(script: "COMMIT")
            let versions = try await applied
            #expect(versions == [2])
            #expect(try await reader.query("SELECT more FROM one").count == 1)
            await holder.close()
            await reader.close()
        }
    }

    @Test("refuses a file that ends its own transaction")
    func ownCommit() async throws {
        try await TestDatabase.with { database in
            let commits = Migration(version: 1, name: "commits", sql: "SELECT 1; COMMIT")
            let error = await postgresError { try await Migrator(migrations: [commits]).migrate(url: database.url, logger: logger) }
            #expect(error?.code == .migration)
            let connection = try await database.connect()
            #expect(try await connection.query("SELECT FROM rial_migrations").isEmpty)
            await connection.close()
        }
    }
}

@Suite("Migration files")
struct MigrationFileTests {
    private func folder(_ files: [String: String]) throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "migrations-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
        return folder
    }

    @Test("are read in the order of their numbers")
    func loads() throws {
        let folder = try folder(["0010_b.sql": "B", "0002_a_name.sql": "A", "README.md": "no"])
        defer { try? FileManager.default.removeItem(at: folder) }
        let migrations = try Migrator.load(directory: folder)
        #expect(migrations.map(\.version) == [2, 10])
        #expect(migrations.map(\.name) == ["a_name", "b"])
        #expect(migrations.map(\.sql) == ["A", "B"])
    }

    @Test(
        "need programs that know them, unless they say that older ones do",
        arguments: [
            ("CREATE TABLE t ()", 7), ("-- needs: 5\nCREATE TABLE t ()", 5), ("-- Why.\n-- needs: 6", 6), ("-- needs: 9", 7),
            ("--needs: 5", 7), ("-- needs: 5 or so", 7), ("SELECT '-- needs: 5'", 7),
        ])
    func needs(sql: String, needed: Int) { #expect(Migration(version: 7, name: "seven", sql: sql).needs == needed) }

    @Test(
        "with a wrong name or a number twice are refused",
        arguments: [
            ["first.sql": ""], ["0000_zero.sql": ""], ["0001_.sql": ""], ["0001_a.sql": "", "001_b.sql": ""],
        ])
    func refuses(files: [String: String]) throws {
        let folder = try folder(files)
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(throws: PostgresError.self) { try Migrator.load(directory: folder) }
    }
}
