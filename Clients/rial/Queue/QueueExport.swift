import ArgumentParser
import CaptureKit
import Foundation
import RialClient

struct QueueExport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Writes a capture's parts to plain files.",
        discussion: """
            photo.jpg, depth.f32.gz, metadata.json, and assertion.cbor and thumbnail.jpg if there are any; of a video video.mp4 or \
            video.mov, depth.gz and hash-chain.json. In privacy mode photo or video have the very bytes that were hashed, by which \
            anyone can verify them, and payload.json has what the server was told; of a video payload.cbor is the assertion over \
            that. Refuses a folder in which one of these files has other content.
            """)

    @Argument(help: "The capture's id in the store.")
    var id: LocalID
    @Option(help: "Folder for the files; created if necessary.")
    var out: String
    @OptionGroup var options: QueueOptions

    func run() async throws {
        let queue = try await options.offline()
        let folder = URL(fileURLWithPath: out, isDirectory: true)
        let capture = try await queue.capture(id)
        for name in PartFile.all {
            let place = folder.appendingPathComponent(name)
            guard FileManager.default.fileExists(atPath: place.path) else { continue }
            guard try await isPart(place, of: capture, in: queue) else {
                throw CommandFailure("\(place.path) is there already, with other content: give another folder.")
            }
        }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (kind, name) in capture.partNames {
            try queue.export(kind, of: id, to: folder.appendingPathComponent(name).path)
        }
        Console.result(folder.path)
    }

    /// Whether a file has the bytes that it would get: an export that was ended has left it.
    private func isPart(_ file: URL, of capture: StoredCapture, in queue: CaptureQueue) async throws -> Bool {
        guard let (kind, _) = capture.partNames.first(where: { $0.1 == file.lastPathComponent }),
            try PartContent.file(at: file).sizeBytes == capture.sizes[kind]
        else { return false }
        return try await queue.content(kind, of: id) == LocalFile.bytes(file.path)
    }
}
