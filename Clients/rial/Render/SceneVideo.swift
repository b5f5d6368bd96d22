import ArgumentParser
import Foundation
import Scene
import VideoChain

/// Renders a photo or a video.
struct SceneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scene", abstract: "Renders a photo or a video of an artificial scene, with LiDAR-like depth.",
        subcommands: [ScenePhoto.self, SceneVideo.self], defaultSubcommand: ScenePhoto.self)
}

/// Renders the frames of a video with the depth of every third one.
struct SceneVideo: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "video",
        abstract: "Renders the frames of a moving camera, and the depth of every third one.",
        discussion: """
            Writes frames.y4m (YUV4MPEG2, 4:2:0, 30 per second) and depth.rldp: the header "RLDP", u32 version 2, u16 width, u16 height, u32 0; \
            then for every third frame u32 number, u32 0, i64 time in 1/600 s and width × height float32 (metres, 0 without a \
            measurement); all little-endian. The same seed gives the same bytes.
            """)

    @Argument(help: "room (panned), walk (walked through), still, screen or poster.")
    var scene: VideoScene
    @Option(help: "Folder to write to; created if missing.")
    var out: String
    @Option(help: "Length of the video, up to 60.")
    var seconds = 15.0
    @Option(help: "Width and height in pixels, even.")
    var size = SizeArgument(width: 640, height: 480)
    @Option(help: "Decides positions, colours, motion and noise.")
    var seed: UInt64 = 1

    func validate() throws {
        guard (0.1...60).contains(seconds) else { throw ValidationError("--seconds is 0.1 to 60.") }
    }

    func run() throws {
        var options = VideoOptions()
        options.size = (size.width, size.height)
        let renderer = try VideoRenderer(scene, seed: seed, options: options)
        let folder = URL(fileURLWithPath: out, isDirectory: true)
        let count = Int((seconds * 30).rounded())
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let frames = try Self.open(folder.appendingPathComponent("frames.y4m"))
            let depth = try Self.open(folder.appendingPathComponent("depth.rldp"))
            try frames.write(contentsOf: Data("YUV4MPEG2 W\(size.width) H\(size.height) F30:1 Ip A1:1 C420jpeg\n".utf8))
            try depth.write(
                contentsOf: Data(DepthData.header(width: UInt16(options.depthSize.width), height: UInt16(options.depthSize.height))))
            for number in 0..<count {
                let time = Double(number) / 30
                try frames.write(contentsOf: Data("FRAME\n".utf8) + renderer.frame(at: time))
                guard number.isMultiple(of: 3) else { continue }
                try depth.write(contentsOf: Data(DepthData.recordHeader(sample: UInt32(number), time: Int64(number) * 20)))
                try depth.write(contentsOf: renderer.depth(at: time).withUnsafeBytes { Data($0) })
            }
        } catch let error as CocoaError {
            throw CommandFailure("\(folder.path) cannot be written: \(error.localizedDescription)")
        }
        Console.result("\(folder.path): frames.y4m (\(count) frames), depth.rldp (\((count + 2) / 3) maps)")
    }

    private static func open(_ url: URL) throws -> FileHandle {
        try Data().write(to: url)
        return try FileHandle(forWritingTo: url)
    }
}
