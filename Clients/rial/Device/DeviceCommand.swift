import ArgumentParser

/// Registers a simulated device and shows it; revokes, restores and audits any.
struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Registers, shows, revokes and restores devices.",
        discussion: """
            The device is simulated: it makes attestations and assertions in Apple's format under a development root. It needs \
            a server in development mode that trusts this root.
            """,
        subcommands: [DeviceRegister.self, DeviceShow.self, DeviceRevoke.self, DeviceRestore.self, DeviceAudit.self])
}
