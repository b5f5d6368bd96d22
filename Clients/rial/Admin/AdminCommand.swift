import ArgumentParser

/// Prepares what the services need before they start.
struct AdminCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admin",
        abstract: "Prepares database, topics, bucket and the development root, and lists damage.",
        discussion: "Each command may be repeated, and waits up to a minute for a dependency that is still starting.",
        subcommands: [
            AdminMigrate.self, AdminTopics.self, AdminBucket.self, AdminDevelopmentRoot.self, AdminSigningIdentity.self,
            AdminDamage.self,
        ])
}
