import ArgumentParser

/// Runs a witness of transparency logs.
struct WitnessCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "witness",
        abstract: "Runs a witness, which cosigns the checkpoints of logs as long as they only grow.",
        discussion: "For others than the log's operator: what it needs is in docs/log.md.",
        subcommands: [WitnessKey.self, WitnessRun.self])
}
