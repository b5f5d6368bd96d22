import ArgumentParser
import CaptureProtocol
import Foundation
import Persistence

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
        let url = try OperatorSettings().databaseURL()
        let found = try await StartupRetry(dependency: "PostgreSQL") { try await Self.read(url) }
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

    private struct Damage {
        let capture: CaptureID
        let name: String
        let key: String
        let problem: String
        let foundAt: Date
        let seenAt: Date
        let mendedAt: Date?
    }

    private static func read(_ url: String) async throws -> [Damage] {
        try await PostgresConnection.administering(url) { connection in
            try await connection.query(
                """
                SELECT capture_id, name, object_key, problem, found_at, seen_at, mended_at FROM media_damage
                ORDER BY mended_at DESC NULLS FIRST, found_at, capture_id, name LIMIT 10000
                """
            ).map { row in
                Damage(
                    capture: CaptureID(try row.get("capture_id", as: UUID.self)), name: try row.get("name"), key: try row.get("object_key"),
                    problem: try row.get("problem"), foundAt: try row.get("found_at"), seenAt: try row.get("seen_at"),
                    mendedAt: try row.getOptional("mended_at"))
            }
        }
    }
}
