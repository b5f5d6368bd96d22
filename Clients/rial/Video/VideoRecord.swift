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
            Pictures, depth and sound go through the recorder of the device library, which seals them at once and signs checkpoints and the \
            end: with --out by the device in the state file, which is registered first if there is none; with --store by the simulated \
            phone, which is registered if the server can be reached. In privacy mode (`rial settings privacy`) a video in a store is never \
            sent, only its hash, what its settings share, and the numbers of its depth. Encodes with the ffmpeg program.
            """)

    @Option(help: "room (panned), walk (walked through), still, screen or poster.")
    var scene: VideoScene
    @Option(help: "Folder to write the parts to, in plain; must not exist.")
    var out: String?
    @Option(help: "Folder of a simulated phone (see `rial queue`), in whose store the video is sealed and waits to be sent.")
    var store: String?
    @Option(help: "h264 or hevc.")
    var codec = CodecChoice.h264
    @Flag(help: "Write QuickTime instead of MP4.")
    var mov = false
    @Option(help: "Length of the recording; it ends by itself before 15 s.")
    var seconds = 15.0
    @Option(help: "Kill the recording after this many seconds, and recover it.")
    var killAt: Double?
    @Option(help: "Where it is recorded: LATITUDE,LONGITUDE in degrees.")
    var location: LocationArgument?
    @Flag(help: "Encode pictures in another order than they are shown.")
    var bFrames = false
    @Option(help: "Constant quality of pictures, 0 (lossless) to 51.")
    var quality = 23
    @Flag(help: "Record no sound.")
    var noSound = false
    @Option(help: "Width and height in pixels, even.")
    var size = SizeArgument(width: 640, height: 480)
    @Option(help: "Enlarge the pictures by this factor before they are encoded: much quicker than rendering large ones.")
    var enlarge = 1
    @Option(help: "Width and height of depth maps.")
    var depthSize: SizeArgument?
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
    @OptionGroup var trust: TrustOptions
    @OptionGroup var stateOptions: StateOptions
    @OptionGroup var enrolmentOptions: EnrolmentOptions

    func validate() throws {
        guard (0...51).contains(quality) else { throw ValidationError("--quality is 0 to 51.") }
        guard (1...16).contains(enlarge) else { throw ValidationError("--enlarge is 1 to 16.") }
        guard (0...60).contains(seconds) else { throw ValidationError("--seconds is 0 to 60.") }
        guard (0...60).contains(killAt ?? 0) else { throw ValidationError("--kill-at is 0 to 60.") }
        guard (out == nil) != (store == nil) else { throw ValidationError("Give either --out or --store.") }
        guard store == nil || failCheckpoint.isEmpty && !unsigned else {
            throw ValidationError("--fail-checkpoint and --unsigned need --out.")
        }
    }

    func run() async throws {
        if let out { try await record(to: URL(fileURLWithPath: out).path) }
        if let store { try await record(in: QueueOptions(store: store)) }
    }

    /// Records with the device in the state file, and writes the parts to a folder.
    private func record(to folder: String) async throws {
        let session = try await session()
        let signer = SessionSigner(session, failing: failCheckpoint, isUnsigned: unsigned)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let phone = UnfinishedRecording(folder: folder)
        let store = try await phone.store()
        let recorder = try await store.beginRecording(
            recording(by: await session.model), isQuickTime: mov, privacy: .standard, signer: signer)
        do {
            try await recorder.record(from: camera(), video: try videoEncoder(), sound: try audioEncoder())
        } catch is KilledCamera<SceneCamera>.Killed {
            Console.progress("killed")
        }
        let capture = try await store.addRecording(recorder.id, assert: signer.end)
        try phone.export(capture, from: store)
        Console.result("\(folder): \(capture.recordingSummary)")
    }

    /// Records as a phone that keeps what it records until the server has it.
    private func record(in phone: QueueOptions) async throws {
        let privacy = try phone.privacySettings.load()
        try await phone.withNetwork(server, trust, enrolmentOptions) { queue in
            do {
                try await queue.register()
            } catch let unavailable as DeviceUnavailable {
                Console.progress("not registered: \(unavailable.failure.message); checkpoints go without signatures")
            }
            var captures: [StoredCapture]
            do {
                let recording = recording(by: DeviceSupport(SimulatedPhone()).modelName)
                captures = [
                    try await queue.record(
                        recording, isQuickTime: mov, privacy: privacy, appVersion: SimulatedPhone().appVersion, from: try camera(),
                        video: try videoEncoder(), sound: try audioEncoder())
                ]
            } catch is KilledCamera<SceneCamera>.Killed {
                captures = try await queue.recoverRecordings()
            }
            for capture in captures { Console.result("\(capture.id): \(capture.recordingSummary)") }
        }
    }

    private func recording(by model: String) -> VideoRecording {
        VideoRecording(
            id: UUID(), startedAt: startedAt?.date ?? Date(timeIntervalSinceNow: -min(killAt ?? seconds, seconds)), deviceModel: model,
            osVersion: "18.1", location: location?.location)
    }

    private func videoEncoder() throws -> FFmpegVideoEncoder {
        var options = FFmpegVideoEncoder.Options()
        options.codec = codec.codec
        options.hasBFrames = bFrames
        options.quality = quality
        options.rotation = rotation?.rotation ?? .none
        options.enlargement = enlarge
        return try FFmpegVideoEncoder(width: size.width, height: size.height, options: options)
    }

    private func audioEncoder() throws -> FFmpegAudioEncoder? { noSound ? nil : try FFmpegAudioEncoder() }

    private func camera() throws -> KilledCamera<SceneCamera> {
        var options = VideoOptions()
        options.size = (size.width, size.height)
        if let depthSize { options.depthSize = (depthSize.width, depthSize.height) }
        let camera = SceneCamera(
            try VideoRenderer(scene, seed: seed, options: options), seconds: seconds,
            otherDepth: try depthSeed.map { try VideoRenderer(scene, seed: $0, options: options) }, freezesDepth: frozenDepth)
        return KilledCamera(source: camera, end: killAt.map { Int64($0 * Double(VideoTime.timescale)) })
    }

    /// The device in the state file; if there is none, one is registered.
    private func session() async throws -> DeviceSession {
        let file = try stateOptions.file()
        if try file.load() == nil {
            let state = try await enrolmentOptions.enrolment(try server.client()).run(model: Enrolment.defaultModel)
            try file.save(state)
            Console.progress("registered device \(state.deviceID) (\(state.attestationLevel.rawValue)) in \(file.url.path)")
        }
        return try DeviceSession(file: file)
    }
}
