import ArgumentParser
import CaptureKit
import CaptureProtocol
import Foundation
import Models
import RialClient

struct VideoSend: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send", abstract: "Sends a recorded video, signed by the device in the state file.")

    @Argument(help: "Folder of the recording.")
    var folder: String
    @Flag(help: "Go on where an upload broke off, also one of an earlier command, whose address is kept in upload.json beside the parts.")
    var resumable = false
    @Flag(help: "Wait for the evidence and show it.")
    var watch = false
    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var hashOnlyOptions: HashOnlyOptions
    @OptionGroup var server: ServerOptions
    @OptionGroup var stateOptions: StateOptions

    func run() async throws {
        let client = try server.client()
        let session = try DeviceSession(file: stateOptions.file)
        let accepted = try await accepted(client, session)
        guard watch else {
            let text = try JSONValue(parsing: WireJSON.encode(accepted)).prettyText
            return Console.result(json ? text : "capture \(accepted.captureID)\n\(accepted.verificationURL)")
        }
        Console.progress("capture \(accepted.captureID)")
        let capture = try await CaptureWatcher(client: client).follow(accepted.captureID)
        Console.result(capture.report(asJSON: json))
        if capture.status == .failed { throw ExitCode.failure }
    }

    private func accepted(_ client: APIClient, _ session: DeviceSession) async throws -> AcceptedCapture {
        let folder = VideoFolder(path: folder)
        guard hashOnlyOptions.hashOnly else {
            guard resumable else { return try await client.send(folder.upload(), signer: session) }
            return try await ResumingSend(folder: folder, server: try server.address(), session: session).run()
        }
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let decoder = own.deletingLastPathComponent().appendingPathComponent("video-decoder").path
        return try await HashOnlyVideoSend(client: client, session: session, decoder: decoder).send(folder, sharing: hashOnlyOptions.flags)
    }
}
