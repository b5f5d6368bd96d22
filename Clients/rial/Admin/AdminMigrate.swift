import ArgumentParser
import Foundation
import Logging
import Persistence
import ServiceRuntime

/// Migrates the schema, and sets the passwords of the services' roles.
struct AdminMigrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Applies the database migrations that are missing.",
        discussion: """
            Reads \(OperatorSettings.ownerDatabase). Missing roles of the services are created. RIAL_ROLE_PASSWORDS_DIR may name a folder \
            with a password file for each role (rial_gateway, …); the passwords of roles without a file do not change.
            """)

    @Flag(help: "Only create the roles and set their passwords, before a dump is restored.")
    var rolesOnly = false

    func run() async throws {
        let settings = OperatorSettings()
        let url = try settings.databaseURL()
        let passwords = try settings.environment.optional("RIAL_ROLE_PASSWORDS_DIR").map { folder in
            try RolePasswords(folder: URL(fileURLWithPath: folder, isDirectory: true))
        }
        let retry = StartupRetry(dependency: "PostgreSQL")
        let created = try await retry { try await ServiceRoles.createMissing(url: url) }
        if !created.isEmpty { Console.result("database: created the roles \(created.joined(separator: ", "))") }
        if !rolesOnly { try await migrate(url, retry) }
        guard let passwords else { return }
        try await retry { try await passwords.apply(url: url) }
        Console.result("database: set the passwords of \(passwords.roles.joined(separator: ", "))")
    }

    private func migrate(_ url: String, _ retry: StartupRetry) async throws {
        let applied = try await retry {
            try await Migrator.bundled().migrate(url: url, logger: Logger(label: "rial-migrate"))
        }
        Console.result(
            applied.isEmpty
                ? "database: nothing to migrate" : "database: applied migrations \(applied.map(String.init).joined(separator: ", "))")
    }
}
