import ArgumentParser

/// Looks after the public log.
struct LogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Makes keys for the public log, opens and closes its shards, shows how it stands, and follows any of them.",
        discussion: """
            `open`, `close` and `recover` read \(OperatorSettings.ownerDatabase); the log's own key stays with the service. `monitor` \
            needs nothing of the installation but its public files.
            """,
        subcommands: [LogKey.self, LogOpen.self, LogClose.self, LogRecover.self, LogStatus.self, LogPolicy.self, LogMonitor.self])
}
