import Blocking
public import Foundation
public import Logging

/// Applies migrations, forward only. The table `rial_migrations` records which were applied.
public struct Migrator: Sendable {
    /// Held while migrating, so that two processes do not migrate at once: "rial" in ASCII.
    private static let advisoryLock: Int64 = 0x7269_616c

    /// How long a migration waits for a lock at a time, in milliseconds: readers and writers of the table wait behind it meanwhile.
    private static let lockTimeout = 2000
    /// How long a migration is tried for.
    private static let timeout = Duration.seconds(300)

    private let migrations: [Migration]

    public init(migrations: [Migration]) { self.migrations = migrations.sorted { $0.version < $1.version } }

    /// Reads every `.sql` file of a folder.
    /// - Throws: ``PostgresError`` with `migration` if a file's name is wrong or a version appears twice.
    public static func load(directory: URL) throws -> [Migration] {
        let files = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "sql" }
        let migrations = try files.map { file in
            guard let migration = Migration(fileName: file.lastPathComponent, sql: try String(contentsOf: file, encoding: .utf8))
            else { throw PostgresError(code: .migration, message: "\(file.lastPathComponent) is not named 0001_name.sql") }
            return migration
        }
        for (version, same) in Dictionary(grouping: migrations, by: \.version) where same.count > 1 {
            throw PostgresError(code: .migration, message: "there are \(same.count) migrations \(version)")
        }
        return migrations.sorted { $0.version < $1.version }
    }

    /// Applies the missing migrations, each in a transaction of its own. One that does not get a lock soon is undone, so that others go on,
    /// and tried again for five minutes.
    ///
    /// A database that a newer version has migrated is left as it is, if programs of this version work on it.
    ///
    /// - Returns: the versions applied now.
    /// - Throws: ``PostgresError``; with `migration` if an applied file has changed or is missing, a new one comes before
    ///   an applied one, or the database needs programs of a newer version. Files applied before a failure stay applied.
    @discardableResult
    public func migrate(url: String, logger: Logger) async throws -> [Int] {
        // Migrations may take long.
        let connection = try await PostgresConnection.connect(
            url: url, applicationName: "rial-migrate", statementTimeout: .zero)
        do {
            let applied = try await migrate(on: connection, logger: logger)
            await connection.close()
            return applied
        } catch {
            await connection.close()
            throw error
        }
    }

    private func migrate(on connection: PostgresConnection, logger: Logger) async throws -> [Int] {
        // Longer than another process tries one migration for.
        try await connection.execute(script: "SET lock_timeout = '360s'")
        // Released with the connection.
        try await connection.query("SELECT pg_advisory_lock(\(Self.advisoryLock))")
        try await connection.execute(
            script: """
                CREATE TABLE IF NOT EXISTS rial_migrations (
                    version integer PRIMARY KEY,
                    name text NOT NULL,
                    sha256 bytea NOT NULL,
                    applied_at timestamptz NOT NULL DEFAULT now()
                );
                -- The newest migration that programs have to know; missing: this one.
                ALTER TABLE rial_migrations ADD COLUMN IF NOT EXISTS needs integer
                """)
        let pending = try await pending(on: connection, logger)
        try await connection.execute(script: "SET lock_timeout = \(Self.lockTimeout)")
        for migration in pending {
            try await apply(migration, on: connection, logger)
            logger.notice("migration applied", metadata: ["version": "\(migration.version)", "name": "\(migration.name)"])
        }
        return pending.map(\.version)
    }

    /// The migrations after the recorded ones, which must not have changed.
    private func pending(on connection: PostgresConnection, _ logger: Logger) async throws -> [Migration] {
        let recorded = try await connection.query(
            "SELECT version, name, sha256, coalesce(needs, version) AS needs FROM rial_migrations ORDER BY version")
        var rest = migrations[...]
        let known = migrations.last?.version ?? 0
        for row in recorded {
            let version = try row.get("version", as: Int.self)
            if rest.isEmpty, version > known {
                let needs = try row.get("needs", as: Int.self)
                guard needs <= known else {
                    throw PostgresError(
                        code: .migration,
                        message: "the database has migration \(version), which needs programs that know migration \(needs); "
                            + "those of this version know \(known)")
                }
                logger.notice("the database is newer, and works with this version", metadata: ["version": "\(version)"])
                continue
            }
            guard let next = rest.popFirst(), next.version == version else {
                throw PostgresError(
                    code: .migration,
                    message: "the database has migration \(version) at this point of its history, the files do not")
            }
            let digest = try await sha256(next, on: connection)
            guard try row.get("sha256", as: [UInt8].self) == digest else {
                throw PostgresError(code: .migration, message: "migration \(version) has changed since it was applied")
            }
        }
        return Array(rest)
    }

    private func apply(_ migration: Migration, on connection: PostgresConnection, _ logger: Logger) async throws {
        let deadline = ContinuousClock.now + Self.timeout
        var backoff = Backoff(initial: 1, limit: 5)
        while true {
            do {
                return try await applyOnce(migration, on: connection)
            } catch let error as PostgresError where error.isLockConflict && .now < deadline {
                logger.notice("migration waits for a lock", metadata: ["version": "\(migration.version)", "error": "\(error)"])
                try await connection.rollback()
                try await Task.sleep(for: backoff.next())
            }
        }
    }

    private func applyOnce(_ migration: Migration, on connection: PostgresConnection) async throws {
        try await connection.begin()
        do {
            try await connection.execute(script: migration.sql)
            guard await connection.isInTransaction else {
                throw PostgresError(code: .migration, message: "the migration ends its transaction")
            }
            try await connection.query(
                """
                INSERT INTO rial_migrations (version, name, sha256, needs)
                VALUES (\(migration.version), \(migration.name), sha256(\(Array(migration.sql.utf8))), \(migration.needs))
                """)
            try await connection.commit()
        } catch {
            throw PostgresError(
                code: .migration, message: "migration \(migration.version)_\(migration.name) failed",
                sqlState: (error as? PostgresError)?.sqlState, cause: error)
        }
    }

    private func sha256(_ migration: Migration, on connection: PostgresConnection) async throws -> [UInt8] {
        let rows = try await connection.query("SELECT sha256(\(Array(migration.sql.utf8))) AS digest")
        guard let row = rows.first else { throw PostgresError(code: .decoding, message: "no digest") }
        return try row.get("digest")
    }
}

extension PostgresError {
    /// A lock was not available in time, or several transactions waited for each other: nothing was wrong with the statements.
    fileprivate var isLockConflict: Bool { sqlState == "55P03" || sqlState == "40P01" }
}
