import ArgumentParser

/// Looks after the public log.
struct LogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Makes keys for the public log, opens and closes its shards, and shows how it stands.",
        discussion: "`open` and `close` read RIAL_DATABASE_URL, the owner's; the log's own key stays with the service.",
        subcommands: [LogKey.self, LogOpen.self, LogClose.self, LogStatus.self])
}
