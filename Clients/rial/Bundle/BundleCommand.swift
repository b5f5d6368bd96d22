import ArgumentParser

/// Fetches evidence bundles, and puts into them what only their owner has.
struct BundleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bundle",
        abstract: "Fetches the evidence bundle of a capture, or adds photo and depth to the owner's.",
        discussion: "`rial verify --bundle` checks one, without a network.",
        subcommands: [BundleGet.self, BundleJoin.self])
}
