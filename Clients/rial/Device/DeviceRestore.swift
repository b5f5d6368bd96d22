import ArgumentParser
import Models

struct DeviceRestore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Takes the revocation of a device back.",
        discussion: "For operators: it talks to the admin port of attestation-verifier, with the token of RIAL_ADMIN_TOKEN.")

    @Argument(help: "The device's id.")
    var id: DeviceID
    @Option(help: "Why; kept with the device.")
    var reason: String?
    @OptionGroup var port: AdminPort

    func run() async throws {
        try await port.send("POST", "restore", body: ["by": "rial-cli", "reason": reason ?? ""], of: id)
        Console.result("device \(id) is accepted again")
    }
}
