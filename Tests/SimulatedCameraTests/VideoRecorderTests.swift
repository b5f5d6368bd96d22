import CaptureKit
import CaptureProtocol
import Foundation
import Movie
import SimulatedCamera
import TestSupport
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
            #expect(video.isSigned && !video.isPartial && video.checkpointCount == 1 && video.state == .pending)
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

    /// Gives no picture any more after some, while the microphone goes on.
    private actor StalledCamera: FrameSource {
        private let source: SceneCamera
        private var left: Int

        init(_ source: SceneCamera, after pictures: Int) {
            self.source = source
            left = pictures
        }

        func next() async throws -> CameraInput<[UInt8], [UInt8]>? {
            while let input = try await source.next() {
                guard case .picture = input else { return input }
                left -= 1
                if left >= 0 { return input }
            }
            return nil
        }
    }

    @Test("ends by itself with the sound that the server takes if no picture comes any more")
    func stalled() async throws {
        try await TestRecording.inFolder { recording in
            let camera = StalledCamera(try TestRecording.camera(seconds: 17), after: 30)
            let video = try await recording.record(from: camera, signer: EchoSigner())
            #expect(video.frameCount == 30 && video.isSigned && !video.isPartial)
            // Which refuses more than 15.5 s.
            let sound = try #require(try recording.movie.sound)
            let seconds = Double(sound.samples.count) * 1024 / Double(sound.format.sampleRate)
            #expect((15.2...15.4).contains(seconds))
            #expect(try recording.comparison().isIntact)
        }
    }

    @Test("ends by itself before 15 s")
    func limit() async throws {
        try await TestRecording.inFolder { recording in
            let video = try await recording.record(from: try TestRecording.camera(seconds: 16), signer: EchoSigner())
            #expect(video.frameCount == 450 && video.durationMilliseconds == 15_000 && video.depthCount == 150)
            #expect(try recording.chain.checkpoints.map(\.index) == [0, 1])
            #expect(try recording.comparison().isIntact)
        }
    }

    @Test("ends and is signed when it is interrupted")
    func interruption() async throws {
        try await TestRecording.inFolder { recording in
            let camera = StoppingCamera(try TestRecording.camera(seconds: 9), .interruption, after: 20)
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
            #expect(!video.isSigned && !video.isPartial && video.state == .assertionPending, "the queue signs it later")
            #expect(try recording.comparison().isIntact)
        }
    }
}

@Suite("Recovering recordings that were killed")
struct RecordingRecoveryTests {
    private static let seed = SeededGenerator.seed(for: "recordings that are killed")
    /// Fifty with `RIAL_TEST_FAULTS=full` (`make test-faults`).
    private static let rounds = ProcessInfo.processInfo.environment["RIAL_TEST_FAULTS"] == "full" ? 50 : 12

    @Test("gives what was recorded, with the signed checkpoints and no new signature", arguments: 0..<rounds)
    func killed(round: Int) async throws {
        try await TestRecording.inFolder { recording in
            // Two inputs for each picture: 2 s to 12 s.
            var random = SeededGenerator(seed: Self.seed &+ UInt64(round))
            let inputs = Int.random(in: 120...720, using: &random)
            let camera = StoppingCamera(try TestRecording.camera(seconds: 15), .crash, after: inputs)
            await #expect(throws: StoppingCamera.Crash.self) { try await recording.record(from: camera, signer: EchoSigner()) }
            let video = try await recording.recover()
            #expect(video.isPartial && !video.isSigned && video.frameCount <= inputs / 2 + 1)
            #expect(try recording.comparison().isIntact, "killed after \(inputs) inputs")
            let checkpoints = try recording.chain.checkpoints
            #expect(checkpoints.count >= max(0, (video.frameCount - 40) / 150))
            #expect(video.signedCheckpointCount == checkpoints.count && video.state == .pending)
            #expect(checkpoints.allSatisfy { $0.assertion == VideoClientData.hash(of: $0).bytes })
            #expect(!recording.has(recording.folder.assertion))
            #expect(!recording.hasLog)
        }
    }

    @Test("copes with a log that was cut anywhere, or changed", arguments: [0.1, 0.35, 0.6, 0.85], [false, true])
    func cut(share: Double, isChanged: Bool) async throws {
        try await TestRecording.inFolder { recording in
            let camera = StoppingCamera(try TestRecording.camera(seconds: 15), .crash, after: 120)
            await #expect(throws: StoppingCamera.Crash.self) { try await recording.record(from: camera, signer: EchoSigner()) }
            var log = try recording.bytes(try recording.log())
            let place = max(4000, Int(Double(log.count) * share))
            if isChanged { log[place] ^= 1 } else { log = Array(log.prefix(place)) }
            try recording.write(log, to: try recording.log())
            let recovered = try await recording.recovered()
            // The encoder may give its first picture late, behind more depth than is left.
            guard share > 0.2 || recovered != nil else { return }
            let video = try #require(recovered)
            #expect(video.isPartial && (1...Int(70 * share) + 12).contains(video.frameCount))
            #expect(try recording.comparison().isIntact)
        }
    }

    @Test("leaves nothing of a recording of which there is no picture")
    func empty() async throws {
        try await TestRecording.inFolder { recording in
            let camera = StoppingCamera(try TestRecording.camera(seconds: 15), .crash, after: 1)
            await #expect(throws: StoppingCamera.Crash.self) {
                try await recording.record(from: camera, signer: EchoSigner(), sound: false)
            }
            let log = try recording.log()
            try recording.write(Array(try recording.bytes(log).prefix(200)), to: log)
            #expect(try await recording.store.recoverRecordings { _ in .later } == [])
            #expect(try FileManager.default.contentsOfDirectory(atPath: recording.path + "/content") == [])
        }
    }

    @Test("is not done while the recording goes on, and once afterwards")
    func goingOn() async throws {
        try await TestRecording.inFolder { recording in
            let camera = LookingCamera(try TestRecording.camera(seconds: 1)) {
                let recovered = try await recording.store.recoverRecordings { _ in .later }
                #expect(recovered == [])
            }
            #expect(try await recording.record(from: camera, signer: EchoSigner()).isSigned)
            #expect(try await recording.store.recoverRecordings { _ in .later } == [])
            #expect(try await recording.store.captures().count == 1)
        }
    }

    @Test("shows nothing of what was recorded in any file, before and afterwards")
    func nothingPlain() async throws {
        try await TestRecording.inFolder { recording in
            let camera = StoppingCamera(try TestRecording.camera(seconds: 15), .crash, after: 400)
            await #expect(throws: StoppingCamera.Crash.self) { try await recording.record(from: camera, signer: EchoSigner()) }
            let before = try recording.sealed()
            #expect(try await recording.recover().frameCount > 150)
            let after = try recording.sealed()
            let (file, depth) = (try recording.bytes(recording.folder.video), try recording.bytes(recording.folder.depth))
            var pieces = try recording.movie.video.samples.filter { $0.size > 40 }.map {
                Array(file[Int($0.offset) + 20..<Int($0.offset) + 36])
            }
            #expect(pieces.count > 10)
            // What begins a file and its depth.
            pieces += [Array(file[4..<20]), Array(DepthData.header(width: 0, height: 0).prefix(8)), Array(depth[100..<116])]
            pieces += ["iPhone 15 Pro", "frame_hashes"].map { Array($0.utf8) }
            for piece in pieces {
                #expect(before.firstRange(of: piece) == nil && after.firstRange(of: piece) == nil, "\(piece)")
            }
        }
    }
}
