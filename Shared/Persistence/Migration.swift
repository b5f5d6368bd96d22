import Foundation

/// One step of the schema's history: a file `0001_name.sql`.
public struct Migration: Sendable {
    /// From 1.
    public let version: Int
    public let name: String
    /// Statements that run in one transaction, which they must not end.
    public let sql: String

    /// The newest migration that a program has to know to work on a schema with this one: of a line `-- needs: 24`, which only a migration
    /// may have that adds and takes nothing away; else the migration itself.
    public let needs: Int

    public init(version: Int, name: String, sql: String) {
        self.version = version
        self.name = name
        self.sql = sql
        let line = sql.firstMatch(of: /^-- needs: ([0-9]{1,9})$/.anchorsMatchLineEndings())
        needs = line.flatMap { Int($0.1) }.map { min($0, version) } ?? version
    }

    /// - Returns: `nil` unless the file's name is digits, `_`, a name and `.sql`.
    init?(fileName: String, sql: String) {
        guard let match = fileName.wholeMatch(of: /([0-9]{1,9})_(.+)\.sql/), let version = Int(match.1), version > 0 else {
            return nil
        }
        self.init(version: version, name: String(match.2), sql: sql)
    }
}
