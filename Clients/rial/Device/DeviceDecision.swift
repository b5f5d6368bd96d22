import ArgumentParser
import CaptureProtocol

struct DeviceRevoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Revokes a device: its requests are refused from now on.",
        discussion: AdminPort.discussion)

    @OptionGroup var decision: DeviceDecision

    func run() async throws { try await decision.send("revoke", told: "is revoked") }
}

struct DeviceRestore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Takes back the revocation of a device.", discussion: AdminPort.discussion)

    @OptionGroup var decision: DeviceDecision

    func run() async throws { try await decision.send("restore", told: "is accepted again") }
}

/// The arguments of an operator's decision about a device.
struct DeviceDecision: ParsableArguments {
    @Argument(help: "The device's id.")
    var id: DeviceID
    @Option(help: "Why; stored with the device.")
    var reason: String?
    @OptionGroup var port: AdminPort

    func send(_ action: String, told result: String) async throws {
        try await port.send("POST", action, body: ["by": "rial-cli", "reason": reason ?? ""], of: id)
        Console.result("device \(id) \(result)")
    }
}
