import ArgumentParser
import CaptureProtocol

/// Lists stored media that are missing, changed or unreadable.
struct AdminDamage: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "damage",
        abstract: "Lists stored media that upload-sync found missing or changed, or could not read.",
        discussion: """
            Reads RIAL_DATABASE_URL. upload-sync reads all stored media again within RIAL_SCRUB_DAYS, and damaged ones every hour; once an \
            object is restored, the next read marks it as mended. Exits with 1 while something is damaged.
            """)

    @Flag(help: "Also list mended media.")
    var all = false

    func run() async throws {
        let damage = PostgresMediaDamage(url: try OperatorSettings().databaseURL())
        let found = try await StartupRetry(dependency: "PostgreSQL") { try await damage.all() }
        let shown = all ? found : found.filter { $0.mendedAt == nil }
        if shown.isEmpty {
            Console.result("no stored media are known to be damaged")
        } else {
            var table = TextTable(header: ["capture", "name", "problem", "found", "last seen", "mended", "key"])
            for damage in shown {
                table.add(
                    damage.capture.description, damage.name, damage.problem, Timestamp.format(damage.foundAt),
                    Timestamp.format(damage.seenAt),
                    damage.mendedAt.map { Timestamp.format($0) } ?? "-", damage.key)
            }
            Console.result(table.text)
        }
        if found.contains(where: { $0.mendedAt == nil }) { throw ExitCode(1) }
    }
}
