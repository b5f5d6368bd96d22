import ServiceRuntime
import ArgumentParser
import Foundation
import Logging
import Persistence

/// Brings the schema forward, and gives the services' roles their passwords.
struct AdminMigrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Applies the database migrations that are missing.",
        discussion: """
            Reads RIAL_DATABASE_URL, the owner's. The services' roles are made where they are missing. With RIAL_ROLE_PASSWORDS_DIR, \
            a folder with a file for each role (rial_gateway, …), the roles get these passwords; roles without a file stay as they are.
            """)

    @Flag(help: "Only the roles and their passwords: what a dump needs before it can be restored.")
    var rolesOnly = false

    func run() async throws {
        let settings = OperatorSettings()
        let url = try settings.databaseURL()
        let passwords = try settings.environment.optional("RIAL_ROLE_PASSWORDS_DIR").map { folder in
            try RolePasswords(folder: URL(fileURLWithPath: folder, isDirectory: true))
        }
        let patience = Patience(dependency: "PostgreSQL")
        let made = try await patience { try await ServiceRoles.createMissing(url: url) }
        if !made.isEmpty { Console.result("database: made the roles \(made.joined(separator: ", "))") }
        if !rolesOnly { try await migrate(url, patience) }
        guard let passwords else { return }
        try await patience { try await passwords.apply(url: url) }
        Console.result("database: passwords set for \(passwords.roles.joined(separator: ", "))")
    }

    private func migrate(_ url: String, _ patience: Patience) async throws {
        let applied = try await patience {
            try await Migrator.bundled().migrate(url: url, logger: Logger(label: "rial-migrate"))
        }
        Console.result(
            applied.isEmpty ? "database: nothing to migrate" : "database: applied \(applied.map(String.init).joined(separator: ", "))")
    }
}
