import ArgumentParser
import CaptureProtocol
import Foundation
import NIOCore
import RialClient

struct BundleGet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Fetches the evidence bundle of a capture.",
        discussion: """
            With --owner the request is signed by the device in the state file, and the bundle also has what the hardware signed. That part \
            links the device's captures: share it only with whom you trust with that.
            """)

    @Argument(help: "The capture's id.")
    var id: CaptureID

    @Option(name: [.short, .customLong("output")], help: "File to write (default: ID.rial).")
    var output: String?

    @Flag(help: "Also fetch the published photo or video.")
    var media = false

    @Flag(help: "Sign the request as the device that made the capture.")
    var owner = false

    @Option(help: "Seconds to wait until the verdict stands in the public log.")
    var wait = 60

    @OptionGroup var server: ServerOptions
    @OptionGroup var stateOptions: StateOptions

    func run() async throws {
        let client = try server.client()
        let signer = owner ? try DeviceSession(file: stateOptions.file()) : nil
        let end = ContinuousClock.now + .seconds(wait)
        let target = URL(fileURLWithPath: output ?? "\(id).rial")
        while true {
            do {
                try await fetch(client, signer, to: target)
                return Console.result(target.path)
            } catch let failure as APIFailure where failure.serverCode == ErrorCode.notLoggedYet.rawValue {
                let delay = min(max(failure.retryAfter ?? .seconds(2), .seconds(1)), .seconds(5))
                guard Self.isPassing(failure), ContinuousClock.now + delay < end else { throw failure }
                Console.progress(failure.message)
                try await Task.sleep(for: delay)
            }
        }
    }

    private static func isPassing(_ failure: APIFailure) -> Bool {
        failure.details?["reason"]?.string.flatMap(NotLoggedReason.init(rawValue:))?.isPassing ?? false
    }

    /// Into a file beside the target, which is replaced once the bundle is whole.
    private func fetch(_ client: APIClient, _ signer: DeviceSession?, to target: URL) async throws {
        let part = target.appendingPathExtension("part")
        guard FileManager.default.createFile(atPath: part.path, contents: nil), let file = try? FileHandle(forWritingTo: part) else {
            throw CommandFailure("\(part.path) cannot be written.")
        }
        defer {
            try? file.close()
            try? FileManager.default.removeItem(at: part)
        }
        try await client.bundle(of: id, hasMedia: media, signer: signer) {
            try file.truncate(atOffset: 0)
        } write: { piece in
            try file.write(contentsOf: Data(piece.readableBytesView))
        }
        try file.synchronize()
        guard rename(part.path, target.path) == 0 else { throw CommandFailure("\(target.path) cannot be written.") }
    }
}
