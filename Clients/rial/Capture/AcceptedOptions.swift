import ArgumentParser
import CaptureProtocol
import RialClient

/// What a command shows of a capture that it sent.
struct AcceptedOptions: ParsableArguments {
    @Flag(help: "Wait for the evidence and show it.")
    var watch = false
    @Flag(help: "Print JSON.")
    var json = false

    /// - Throws: `ExitCode.failure` if the capture was waited for and failed.
    func show(_ accepted: AcceptedCapture, _ client: APIClient) async throws {
        guard watch else {
            let text = try JSONValue(parsing: WireJSON.encode(accepted)).prettyText
            return Console.result(json ? text : "capture \(accepted.captureID)\n\(accepted.verificationURL)", isJSON: json)
        }
        Console.progress("capture \(accepted.captureID)")
        let capture = try await CaptureWatcher(client: client).follow(accepted.captureID)
        Console.result(capture.report(asJSON: json), isJSON: json)
        if capture.status == .failed { throw ExitCode.failure }
    }
}
