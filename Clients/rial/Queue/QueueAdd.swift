import ArgumentParser
import CaptureKit
import CaptureProtocol
import Foundation
import RialClient

struct QueueAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Adds a photo with its depth map, as if the phone had just taken it.",
        discussion: """
            Without the network. The photo gets the EXIF data of the phone, without being encoded again. In privacy mode (`rial settings \
            privacy`) photo and depth map are never sent. Prints the id in the store.
            """)

    @OptionGroup var files: PhotoFileOptions
    @Option(help: "When it was taken, RFC 3339 (default: now).")
    var capturedAt: RFC3339Time?
    @Option(help: "EXIF orientation, 1 to 8.")
    var orientation = 1
    @Flag(name: .customLong("private"), help: "In privacy mode, with what its settings share, even if it is off.")
    var isPrivate = false
    @OptionGroup var options: QueueOptions

    func validate() throws {
        guard PhotoOrientation(rawValue: orientation) != nil else { throw ValidationError("--orientation is 1 to 8.") }
    }

    func run() async throws {
        // As they are at the shutter. Without them nothing is captured.
        var privacy = try options.privacySettings.load()
        if isPrivate { privacy.isOn = true }
        let queue = try await options.offline()
        let depthMap = try files.depthFile()
        let jpeg = try read(files.photo)
        let frame = CapturedFrame(
            jpeg: jpeg, depth: try DepthPlane(bytes: try depthMap.values(), width: files.width, height: files.height),
            luma: privacy.isOn ? PhotoLuma.plane(of: jpeg, depthWidth: files.width, depthHeight: files.height) : nil,
            capturedAt: capturedAt?.date ?? Date(), orientation: PhotoOrientation(rawValue: orientation) ?? .up)
        Console.result(try await queue.add(try process(frame, privacy)).id.description)
    }

    private func process(_ frame: CapturedFrame, _ privacy: PrivacySettings) throws -> ProcessedCapture {
        do {
            // Debug builds are slower than any phone.
            return try FrameProcessor(limit: .seconds(60)).process(
                frame, on: SimulatedPhone(), location: files.location?.location, privacy: privacy)
        } catch FrameError.tooLarge {
            throw CommandFailure(
                "The photo \(files.photo) and its depth map are too large: a capture has at most \(SizeLimits.capture >> 20) MiB.")
        }
    }

    private func read(_ path: String) throws -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else { throw CommandFailure("The photo \(path) cannot be read.") }
        return Array(data)
    }
}
