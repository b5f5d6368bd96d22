import ArgumentParser
import AsyncHTTPClient
import CaptureProtocol
import Logging
import ObjectStorage
import Persistence

/// Looks for what is left of a withdrawn capture.
struct AdminErased: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erased",
        abstract: "Looks through every table and the bucket for what is left of a withdrawn capture.",
        discussion: """
            Reads \(OperatorSettings.ownerDatabase), and RIAL_S3_ENDPOINT and so on. What stays by intention is not named: its ids, the \
            device that sent it, when it was withdrawn and why, and its used counter. What is public of the log (entries, checkpoints and \
            cosignatures) names no capture and is not looked through. Exits with 1 if anything else is left.
            """)

    @Argument(help: "The capture's id.")
    var id: CaptureID

    func run() async throws {
        let settings = OperatorSettings()
        let url = try settings.databaseURL()
        let configuration = try settings.storage()
        let (inTables, prefixes) = try await StartupRetry(dependency: "PostgreSQL") { try await rows(url) }
        let storage = S3Client(configuration: configuration, httpClient: .shared, logger: Logger(label: "rial-admin"))
        let inBucket = try await StartupRetry(dependency: "the object store") { try await objects(storage, prefixes) }
        let left = inTables + inBucket
        guard !left.isEmpty else {
            Console.result("nothing of capture \(id) is left")
            return
        }
        var table = TextTable(header: ["where", "what is left"])
        for (place, what) in left { table.add(place, what) }
        Console.result(table.text)
        throw ExitCode(1)
    }

    private func rows(_ url: String) async throws -> (left: [(String, String)], prefixes: [String]) {
        try await PostgresConnection.administering(url, statementTimeout: PostgresBackupRows.longestStatement) { [id] connection in
            let check = ErasureCheck(connection: connection, capture: id)
            return (try await check.left(), try await check.prefixes())
        }
    }

    private func objects(_ storage: S3Client, _ prefixes: [String]) async throws -> [(String, String)] {
        var left: [(String, String)] = []
        for prefix in prefixes {
            for try await page in storage.pages(under: prefix) { left += page.map { ("bucket", $0.key) } }
            left += try await storage.unfinishedUploads(under: prefix).map { ("bucket", "\($0.key), unfinished") }
        }
        return left
    }
}
