import CaptureKit
import CaptureProtocol
import Depth
import Foundation
import Models
import Movie
import Scene
import SimulatedCamera
import Testing
import VideoChain

@Suite("Recording videos in privacy mode")
struct PrivateRecordingTests {
    private static let on = PrivacySettings(isOn: true, flags: MetadataFlags(location: .none, timestamp: .exact, device: .model))

    @Test(
        "tells of the very file that its person gets, with the numbers that the server's module gives for its depth and its pictures",
        arguments: [(VideoCodec.h264, false), (.h264, true), (.hevc, true)])
    func numbers(codec: VideoCodec, hasBFrames: Bool) async throws {
        try await TestRecording.inFolder(.measurable) { recording in
            let recorded = try await recording.record(
                from: try TestRecording.camera(seconds: 2, .measurable), signer: EchoSigner(), codec: codec, bFrames: hasBFrames,
                privacy: Self.on)
            #expect(recorded.isSigned && !recorded.isPartial)
            #expect(try recording.comparison().isIntact, "whoever gets the parts computes the same chain")
            let bytes = try recording.bytes(recording.folder.payload)
            #expect(try recording.bytes(recording.folder.assertion) == HashOnlyClientData.hash(payload: bytes).bytes)
            let payload = try HashOnlyPayload.parse(bytes)
            let (video, movie) = (try #require(payload.video), try recording.movie)
            #expect(payload.mediaHash == ContentDigest(of: try recording.bytes(recording.folder.video)))
            #expect(Int64(video.durationMilliseconds) == movie.durationMilliseconds && video.frameCount == movie.video.samples.count)
            #expect(try video.finalHash == recording.chain.finalHash)
            #expect(try video.depth == Self.measured(recording, movie))
            let depth = try #require(video.depth)
            #expect(depth.keyframes == 20 && depth.depthConsistency != nil && depth.edgeAlignment != nil, "\(depth)")
        }
    }

    @Test("tells no numbers of a recording that was cut off, and signs what is told")
    func cutOff() async throws {
        try await TestRecording.inFolder { recording in
            let camera = StoppingCamera(try TestRecording.camera(seconds: 15), .crash, after: 400)
            await #expect(throws: StoppingCamera.Crash.self) {
                try await recording.record(from: camera, signer: EchoSigner(), privacy: Self.on)
            }
            let recorded = try await recording.recover()
            #expect(recorded.isPartial && recorded.state == .assertionPending)
            #expect(try recording.comparison().isIntact)
            let payload = try HashOnlyPayload.parse(try recording.bytes(recording.folder.payload))
            let video = try #require(payload.video)
            #expect(payload.flags == Self.on.flags)
            #expect(video.frameCount == recorded.frameCount && video.depth == nil)
            #expect(payload.mediaHash == ContentDigest(of: try recording.bytes(recording.folder.video)))
        }
    }

    /// Of the depth in the file and the pictures as they were rendered.
    private static func measured(_ recording: TestRecording, _ movie: Movie) throws -> SignedVideoDepth {
        let (sizes, renderer) = (recording.sizes, try TestRecording.renderer(recording.sizes))
        let format = movie.video.format
        let layout = try VideoDepthLayout(
            frame: (Int(format.width), Int(format.height)), depth: sizes.depth, rotation: Int(format.rotation.rawValue) / 90)
        let maps = DepthMaps(into: VideoDepthAnalysis(layout: layout, timescale: format.timescale)) { analysis, record, map in
            let frame = renderer.frame(at: (Double(record.time) / Double(format.timescale) * 30).rounded() / 30)
            let (width, height) = sizes.picture
            guard let luma = try? LumaImage(width: width, height: height, pixels: Array(frame.prefix(width * height))) else { return }
            try? analysis.add(VideoKeyframe(sample: Int(record.sample), ticks: record.time, depth: map, luma: layout.plane(of: luma)))
        }
        return try InflatedDepthData.read(try recording.bytes(recording.folder.depth), maps).visitor.gathered
            .finish(endTicks: movie.video.shownEnd).signed(durationMilliseconds: Int(movie.durationMilliseconds))
    }
}
