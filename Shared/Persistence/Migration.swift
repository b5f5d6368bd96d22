import Foundation

/// One step of the schema's history: a file `0001_name.sql`.
public struct Migration: Sendable {
    /// From 1.
    public let version: Int
    public let name: String
    /// Statements that run in one transaction, which they must not end.
    public let sql: String

    public init(version: Int, name: String, sql: String) {
        self.version = version
        self.name = name
        self.sql = sql
    }

    /// - Returns: `nil` unless the file's name is digits, `_`, a name and `.sql`.
    init?(fileName: String, sql: String) {
        guard let match = fileName.wholeMatch(of: /([0-9]{1,9})_(.+)\.sql/), let version = Int(match.1), version > 0 else {
            return nil
        }
        self.init(version: version, name: String(match.2), sql: sql)
    }
}
