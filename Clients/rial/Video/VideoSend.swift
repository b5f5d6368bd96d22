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
    @Flag(help: "Resume an upload that broke off, also one of an earlier command, whose address is kept in upload.json beside the parts.")
    var resumable = false
    @OptionGroup var shown: AcceptedOptions
    @OptionGroup var hashOnlyOptions: HashOnlyOptions
    @OptionGroup var server: ServerOptions
    @OptionGroup var stateOptions: StateOptions

    func run() async throws {
        let client = try server.client()
        let session = try DeviceSession(file: stateOptions.file())
        try await shown.show(await accepted(client, session), client)
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
