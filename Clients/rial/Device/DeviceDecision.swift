import ArgumentParser
import CaptureProtocol

struct DeviceRevoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Revokes a device: its requests are refused from now on.",
        discussion: AdminPort.discussion)

    @OptionGroup var decision: DeviceDecision
    @Option(help: "Also takes back, in the public log, the verdicts on its captures received since then: a time like 2027-01-31T12:00:00Z.")
    var since: String?

    func validate() throws {
        if let since, Timestamp.parse(since) == nil { throw ValidationError("--since is not an RFC 3339 time like 2027-01-31T12:00:00Z.") }
    }

    func run() async throws { try await decision.send("revoke", since.map { ["since": $0] } ?? [:], told: "is revoked") }
}

struct DeviceRestore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Takes back the revocation of a device, and of its captures.", discussion: AdminPort.discussion)

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

    func send(_ action: String, _ more: [String: String] = [:], told result: String) async throws {
        try await port.send("POST", action, body: ["by": "rial-cli", "reason": reason ?? ""].merging(more) { $1 }, of: id)
        Console.result("device \(id) \(result)")
    }
}
