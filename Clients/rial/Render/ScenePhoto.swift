public import ArgumentParser
import CaptureProtocol
import Foundation
import Models
import Scene

extension SceneKind: ExpressibleByArgument {}

/// Renders a photo with its depth map.
struct ScenePhoto: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "photo",
        abstract: "Renders a photo and a LiDAR-like depth map of an artificial scene.",
        discussion: """
            Writes photo.jpg (with EXIF), depth.f32.gz and scene.json. The same seed gives the same picture. Room and desk have \
            relief; screen (which shows a room) and poster (seen at an angle) are flat.
            """)

    @Argument(help: "room, desk, screen or poster.")
    var kind: SceneKind

    @Option(help: "Folder to write to; created if missing.")
    var out: String

    @Option(help: "Decides positions, colours and noise.")
    var seed: UInt64 = 1

    @Option(help: "The photo's width and height in pixels.")
    var size = SizeArgument(width: 4032, height: 3024)

    @Option(help: "The model in the photo's EXIF.")
    var model = "iPhone 15 Pro"

    @Option(help: "When the photo was taken, RFC 3339; now by default.")
    var capturedAt: RFC3339Time?

    func run() throws {
        var options = SceneOptions(capturedAt: capturedAt?.date ?? Date())
        options.photoSize = (size.width, size.height)
        options.model = model
        let scene = try SceneRenderer.render(kind, seed: seed, options: options)
        let folder = URL(fileURLWithPath: out, isDirectory: true)
        let description = SceneDescription(
            scene: kind.rawValue, seed: seed, capturedAt: options.capturedAt, deviceModel: model, photoWidth: size.width,
            photoHeight: size.height, depthWidth: scene.depthWidth, depthHeight: scene.depthHeight)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(scene.jpeg).write(to: folder.appendingPathComponent(PartFile.photo), options: .atomic)
            try Data(scene.depthGzip()).write(to: folder.appendingPathComponent(PartFile.photoDepth), options: .atomic)
            try Data(WireJSON.encode(description)).write(to: folder.appendingPathComponent("scene.json"), options: .atomic)
        } catch let error as CocoaError {
            throw CommandFailure("\(folder.path) cannot be written: \(error.localizedDescription)")
        }
        Console.result("\(folder.path): \(PartFile.photo), \(PartFile.photoDepth) (\(scene.depthWidth) × \(scene.depthHeight)), scene.json")
    }
}

/// The content of `scene.json`, which describes the other two files.
struct SceneDescription: Encodable {
    let scene: String
    let seed: UInt64
    let capturedAt: Date
    let deviceModel: String
    let photoWidth: Int
    let photoHeight: Int
    let depthWidth: Int
    let depthHeight: Int

    enum CodingKeys: String, CodingKey {
        case scene, seed
        case capturedAt = "captured_at"
        case deviceModel = "device_model"
        case photoWidth = "photo_width"
        case photoHeight = "photo_height"
        case depthWidth = "depth_width"
        case depthHeight = "depth_height"
    }
}
