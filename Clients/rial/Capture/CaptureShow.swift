import ArgumentParser
import CaptureProtocol
import RialClient

struct CaptureShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a capture and its evidence.",
        discussion: "With --owner the device of the state file asks, and also sees the precise location.")

    @Argument(help: "The capture's id.")
    var id: CaptureID

    @Flag(help: "Follow until it is complete or failed.")
    var watch = false

    @Flag(help: "Print the API's answer as JSON.")
    var json = false

    @Flag(help: "Ask as the device that made it.")
    var owner = false

    @OptionGroup var server: ServerOptions
    @OptionGroup var stateOptions: StateOptions

    func run() async throws {
        let client = try server.client()
        let signer = owner ? try DeviceSession(file: stateOptions.file) : nil
        if watch { _ = try await CaptureWatcher(client: client).follow(id) }
        Console.result(try await client.capture(id, signer: signer).report(asJSON: json))
    }
}
