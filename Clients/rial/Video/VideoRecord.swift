import ArgumentParser
import CaptureKit
import CaptureProtocol
import Foundation
import Models
import Movie
import Scene
import SimulatedCamera

struct VideoRecord: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Records a rendered scene with the simulated device.",
        discussion: """
            Pictures, depth and sound go through the recorder of the device library, which signs checkpoints and the end with the device in \
            the state file; if there is none, one is registered first. Encodes with the ffmpeg program.
            """)

    @Option(help: "room (panned), walk (walked through), still, screen or poster.")
    var scene: VideoScene
    @Option(help: "Folder to write to; must not exist.")
    var out: String
    @Option(help: "h264 or hevc.")
    var codec = CodecChoice.h264
    @Flag(help: "Write QuickTime instead of MP4.")
    var mov = false
    @Option(help: "Length of the recording; it ends by itself before 15 s.")
    var seconds = 15.0
    @Option(help: "Kill the recording after so many seconds, and recover it.")
    var killAt: Double?
    @Option(help: "Where it is recorded: LATITUDE,LONGITUDE in degrees.")
    var location: LocationArgument?
    @Flag(help: "Encode pictures in another order than they are shown.")
    var bFrames = false
    @Flag(help: "Record no sound.")
    var noSound = false
    @Option(help: "Width and height in pixels, even.")
    var size = SizeArgument(width: 640, height: 480)
    @Option(help: "Turn for showing: 0, 90, 180 or 270 degrees clockwise.")
    var rotation: RotationArgument?
    @Option(help: "Decides positions, colours, motion and noise.")
    var seed: UInt64 = 1
    @Option(help: "Record the depth of the same scene with this seed.")
    var depthSeed: UInt64?
    @Flag(help: "Record the first depth map over and over.")
    var frozenDepth = false
    @Option(help: "When the recording began, RFC 3339; default: so that it ends now.")
    var startedAt: RFC3339Time?
    @Option(help: "Fail to sign the checkpoint with this index; may be repeated.")
    var failCheckpoint: [Int] = []
    @Flag(help: "Sign nothing.")
    var unsigned = false

    @OptionGroup var server: ServerOptions
    @OptionGroup var stateOptions: StateOptions
    @OptionGroup var enrolmentOptions: EnrolmentOptions

    func run() async throws {
        let session = try await session()
        let length = min(killAt ?? seconds, seconds)
        let recording = VideoRecording(
            id: UUID(), startedAt: startedAt?.date ?? Date(timeIntervalSinceNow: -length), deviceModel: await session.model,
            osVersion: "18.1", location: location?.location)
        let folder = RecordingFolder(URL(fileURLWithPath: out).path, files: PosixFiles(), isQuickTime: mov)
        let recorder = try VideoRecorder(
            recording, in: folder, signer: SessionSigner(session, failing: failCheckpoint, isUnsigned: unsigned))
        var options = FFmpegVideoEncoder.Options()
        options.codec = codec.codec
        options.hasBFrames = bFrames
        options.rotation = rotation?.rotation ?? .none
        let recorded: RecordedVideo
        do {
            recorded = try await recorder.record(
                from: KilledCamera(source: try camera(), end: killAt.map { Int64($0 * Double(VideoTime.timescale)) }),
                video: try FFmpegVideoEncoder(width: size.width, height: size.height, options: options),
                sound: noSound ? nil : try FFmpegAudioEncoder())
        } catch is KilledCamera<SceneCamera>.Killed {
            recorded = try await RecordingRecovery(folder).recover()
        }
        Console.result("\(folder.path): \(recorded.summary)")
    }

    private func camera() throws -> SceneCamera {
        var options = VideoOptions()
        options.size = (size.width, size.height)
        return SceneCamera(
            try VideoRenderer(scene, seed: seed, options: options), seconds: seconds,
            otherDepth: try depthSeed.map { try VideoRenderer(scene, seed: $0, options: options) }, freezesDepth: frozenDepth)
    }

    /// The device in the state file; if there is none, one is registered.
    private func session() async throws -> DeviceSession {
        let file = stateOptions.file
        if try file.load() == nil {
            let state = try await enrolmentOptions.enrolment(try server.client()).run(model: Enrolment.defaultModel)
            try file.save(state)
            Console.progress("registered device \(state.deviceID) (\(state.attestationLevel.rawValue)) in \(file.url.path)")
        }
        return try DeviceSession(file: file)
    }
}

extension RecordedVideo {
    var summary: String {
        let signed = checkpoints.count { $0.assertion != nil }
        return "\(frameCount) frames, \(durationMilliseconds) ms, \(depthCount) depth maps, \(soundFrames) packets of sound, "
            + "\(signed) of \(checkpoints.count) checkpoints signed, \(isSigned ? "signed" : "not signed")\(isPartial ? ", partial" : "")"
    }
}

struct VideoRecover: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover", abstract: "Finishes a recording whose process was killed, without signing anything new.")

    @Argument(help: "Folder of the recording.")
    var folder: String

    func run() async throws {
        let folder = RecordingFolder(URL(fileURLWithPath: folder).path, files: PosixFiles())
        Console.result("\(folder.path): \(try await RecordingRecovery(folder).recover().summary)")
    }
}
