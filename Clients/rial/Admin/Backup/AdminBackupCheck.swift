import ArgumentParser
import AsyncHTTPClient
import CaptureProtocol
import Logging
import ObjectStorage
import Persistence

/// Compares the database with the bucket after either was restored.
struct AdminBackupCheck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup-check",
        abstract: "Compares database and bucket, and names what one has and the other lacks.",
        discussion: """
            Reads \(OperatorSettings.ownerDatabase), and RIAL_S3_ENDPOINT and so on. For database and bucket that were restored from \
            backups of different moments: names objects that are missing or have another size, captures that only the bucket has, and \
            withdrawn captures that are here again, with what is newer than the database. It compares sizes; upload-sync compares digests. \
            It reads every row and lists the whole bucket, a page at a time, and changes nothing; services may run meanwhile. Exits with 1 \
            if database or bucket lack something, or a withdrawn capture is here again.
            """)

    @Flag(help: "Print JSON, a line for each finding and one for the summary.")
    var json = false

    func run() async throws {
        let settings = OperatorSettings()
        let url = try settings.databaseURL()
        let configuration = try settings.storage()
        let storage = S3Client(configuration: configuration, httpClient: .shared, logger: Logger(label: "rial-admin"))
        // First both are waited for: what was told is not told again.
        let connection = try await StartupRetry(dependency: "PostgreSQL") {
            try await PostgresConnection.connect(
                url: url, applicationName: "rial-admin", statementTimeout: PostgresBackupRows.longestStatement)
        }
        try await StartupRetry(dependency: "the object store") { try await storage.checkBucket() }
        let summary = try await connection.closing { [json] connection in
            try await Self.compare(PostgresBackupRows(connection: connection), storage, asJSON: json)
        }
        Console.result(json ? try Self.line(summary) : summary.text, isJSON: json)
        if summary.hasProblem { throw ExitCode(1) }
    }

    private static func compare(_ rows: PostgresBackupRows, _ storage: S3Client, asJSON json: Bool) async throws -> BackupSummary {
        let comparison = BackupComparison(rows: rows, pages: storage.pages(under:)) { finding in
            Console.result(json ? (try? line(finding)) ?? "" : finding.text, isJSON: json)
        }
        do {
            return try await comparison.run()
        } catch let error as BackupComparison.NotInOrder {
            throw CommandFailure("The store does not list objects in the order of their keys: \(error.key) is out of order.")
        } catch let error as ObjectStorageError {
            throw CommandFailure("The object store failed: \(error.message)")
        } catch let error as PostgresError {
            throw CommandFailure("PostgreSQL failed: \(error.message)")
        }
    }

    private static func line(_ value: some Encodable) throws -> String { String(decoding: try WireJSON.encode(value), as: UTF8.self) }
}
