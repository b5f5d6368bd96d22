import ArgumentParser

/// Looks at records that services gave up, and sends them on their way again.
struct DeadLetterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dlq",
        abstract: "Lists, shows and re-drives dead letters.",
        discussion: "Reads RIAL_KAFKA_BROKERS, and RIAL_DATABASE_URL for `redrive --capture`.",
        subcommands: [DeadLetterList.self, DeadLetterShow.self, DeadLetterRedrive.self])
}
