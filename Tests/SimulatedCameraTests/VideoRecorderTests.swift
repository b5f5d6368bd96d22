import CaptureKit
import CaptureProtocol
import Movie
import SimulatedCamera
import Testing
import VideoChain

@Suite("Recording videos")
struct VideoRecorderTests {
    struct Shape: Sendable, CustomTestStringConvertible {
        let codec: VideoCodec
        let isQuickTime: Bool
        let hasBFrames: Bool
        let hasSound: Bool

        var testDescription: String {
            "\(codec.rawValue) in \(isQuickTime ? "MOV" : "MP4")\(hasBFrames ? ", B-frames" : "")\(hasSound ? "" : ", no sound")"
        }
    }

    @Test(
        "gives a file, depth and chain that the server finds intact, signed at 5 s and at the end",
        arguments: [
            Shape(codec: .h264, isQuickTime: false, hasBFrames: false, hasSound: true),
            Shape(codec: .hevc, isQuickTime: true, hasBFrames: false, hasSound: true),
            Shape(codec: .h264, isQuickTime: false, hasBFrames: true, hasSound: true),
            Shape(codec: .hevc, isQuickTime: false, hasBFrames: true, hasSound: false),
        ])
    func whole(shape: Shape) async throws {
        try await TestRecording.inFolder(quickTime: shape.isQuickTime) { recording in
            let video = try await recording.record(
                from: try TestRecording.camera(seconds: 5.5), signer: EchoSigner(), codec: shape.codec, bFrames: shape.hasBFrames,
                sound: shape.hasSound)
            #expect(video.frameCount == 165 && video.durationMilliseconds == 5500 && video.depthCount == 55)
            #expect(video.isSigned && !video.isPartial && video.checkpoints.count == 1)
            let comparison = try recording.comparison()
            #expect(comparison.isIntact && comparison.breakAtFrame == nil)
            let movie = try recording.movie
            #expect(movie.video.format.rotation == .quarter && movie.video.format.codec == shape.codec)
            #expect((movie.sound != nil) == shape.hasSound)
            #expect(movie.video.samples.map(\.time) == movie.video.samples.map(\.time).sorted() || shape.hasBFrames)
            let checkpoint = try #require(try recording.chain.checkpoints.first)
            #expect(checkpoint.assertion == VideoClientData.hash(of: checkpoint).bytes)
            #expect(movie.video.verifiedMilliseconds(of: checkpoint.frames, duration: 5500) >= 4900)
            #expect(try recording.bytes(recording.folder.assertion) == recording.finalHash().bytes)
        }
    }

    @Test("ends by itself before 15 s")
    func limit() async throws {
        try await TestRecording.inFolder { recording in
            let video = try await recording.record(from: try TestRecording.camera(seconds: 16), signer: EchoSigner())
            #expect(video.frameCount == 450 && video.durationMilliseconds == 15_000 && video.depthCount == 150)
            #expect(video.checkpoints.map(\.index) == [0, 1])
            #expect(try recording.comparison().isIntact)
        }
    }

    @Test("ends and is signed when it is interrupted")
    func interruption() async throws {
        try await TestRecording.inFolder { recording in
            let camera = InterruptedCamera(try TestRecording.camera(seconds: 9), after: 20)
            let video = try await recording.record(from: camera, signer: EchoSigner())
            #expect(video.frameCount == 10 && video.isSigned && !video.isPartial)
            #expect(try recording.comparison().isIntact)
        }
    }

    @Test("goes on when a checkpoint cannot be signed, and sends null")
    func unsignedCheckpoint() async throws {
        try await TestRecording.inFolder { recording in
            let video = try await recording.record(from: try TestRecording.camera(seconds: 10.5), signer: EchoSigner(failing: [0]))
            #expect(video.isSigned && video.frameCount == 315)
            #expect(try recording.chain.checkpoints.map { $0.assertion == nil } == [true, false])
            #expect(try recording.comparison().isIntact)
        }
    }

    @Test("is complete without a signature when the end cannot be signed")
    func unsignedEnd() async throws {
        try await TestRecording.inFolder { recording in
            let video = try await recording.record(from: try TestRecording.camera(seconds: 0.5), signer: EchoSigner(failing: [0]))
            #expect(!video.isSigned && !video.isPartial)
            #expect(try recording.comparison().isIntact)
        }
    }
}

@Suite("Recovering recordings that were killed")
struct RecordingRecoveryTests {
    @Test("gives what was recorded, with the signed checkpoints and no new signature", arguments: 0..<50)
    func killed(round: Int) async throws {
        try await TestRecording.inFolder { recording in
            // Two inputs for each picture: 2 s to 12 s.
            let inputs = Int.random(in: 120...720)
            let camera = CrashingCamera(try TestRecording.camera(seconds: 15), after: inputs)
            await #expect(throws: CrashingCamera.Crash.self) { try await recording.record(from: camera, signer: EchoSigner()) }
            let video = try await RecordingRecovery(recording.folder).recover()
            #expect(video.isPartial && !video.isSigned && video.frameCount <= inputs / 2 + 1)
            #expect(try recording.comparison().isIntact, "killed after \(inputs) inputs")
            let checkpoints = try recording.chain.checkpoints
            #expect(checkpoints.count >= max(0, (video.frameCount - 40) / 150))
            #expect(checkpoints.allSatisfy { $0.assertion == VideoClientData.hash(of: $0).bytes })
            #expect(!recording.has(recording.folder.assertion) && !recording.has(recording.folder.journal))
        }
    }

    @Test("copes with files that were cut anywhere", arguments: [0.1, 0.35, 0.6, 0.85])
    func cut(share: Double) async throws {
        try await TestRecording.inFolder { recording in
            let camera = CrashingCamera(try TestRecording.camera(seconds: 15), after: 120)
            await #expect(throws: CrashingCamera.Crash.self) { try await recording.record(from: camera, signer: EchoSigner()) }
            for path in [recording.folder.video, recording.folder.depth, recording.folder.journal] {
                let bytes = try recording.bytes(path)
                try recording.write(Array(bytes.prefix(max(3000, Int(Double(bytes.count) * share)))), to: path)
            }
            let video = try await RecordingRecovery(recording.folder).recover()
            #expect(video.frameCount > 0)
            #expect(try recording.comparison().isIntact)
        }
    }
}
