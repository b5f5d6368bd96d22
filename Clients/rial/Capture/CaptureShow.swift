import ArgumentParser
import CaptureProtocol
import RialClient

struct CaptureShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a capture and its evidence.",
        discussion: "With --owner the request is signed by the device in the state file, whose captures are shown with precise location.")

    @Argument(help: "The capture's id.")
    var id: CaptureID

    @Flag(help: "Follow until it is complete or failed.")
    var watch = false

    @Flag(help: "Print the API's response as JSON.")
    var json = false

    @Flag(help: "Sign the request as the device that made the capture.")
    var owner = false

    @OptionGroup var server: ServerOptions
    @OptionGroup var stateOptions: StateOptions

    func run() async throws {
        let client = try server.client()
        let signer = owner ? try DeviceSession(file: stateOptions.file()) : nil
        if watch { _ = try await CaptureWatcher(client: client).follow(id) }
        Console.result(try await client.capture(id, signer: signer).report(asJSON: json), isJSON: json)
    }
}
