import ArgumentParser
import Models

struct DeviceRevoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Revokes a device: its requests are refused from now on.",
        discussion: "For operators: it talks to the admin port of attestation-verifier, with the token of RIAL_ADMIN_TOKEN.")

    @Argument(help: "The device's id.")
    var id: DeviceID
    @Option(help: "Why; kept with the device.")
    var reason: String?
    @OptionGroup var port: AdminPort

    func run() async throws {
        try await port.send("POST", "revoke", body: ["by": "rial-cli", "reason": reason ?? ""], of: id)
        Console.result("device \(id) is revoked")
    }
}
