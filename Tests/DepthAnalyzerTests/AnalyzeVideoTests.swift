import CaptureProtocol
import Delivery
import Foundation
import Inspection
import Logging
import Models
import Movie
import ObjectStorage
import Synchronization
import TestSupport
import Testing
import VideoDecoding

@testable import DepthAnalyzer

@Suite("Analysis of a received video")
struct AnalyzeVideoTests {
    private static let now = Date(timeIntervalSince1970: 1_795_240_800)

    private let store = MemoryObjectStore()
    private let parts = MemoryPartRepository<DepthAnalyzed, DepthFindings>()

    private func accept(_ video: RecordedVideo, damaging damaged: MediaName? = nil) async throws -> CaptureID {
        let id = CaptureID()
        func stored(_ bytes: [UInt8], _ name: MediaName) async throws -> StoredMedia {
            try await store.put(name.key(of: id), bytes: bytes + (damaged == name ? [0] : []), contentType: name.contentType)
            return StoredMedia(
                key: name.key(of: id), sha256: ContentDigest(of: bytes), sizeBytes: Int64(bytes.count), contentType: name.contentType)
        }
        parts.add(
            CaptureAnnouncement(
                captureID: id, deviceID: DeviceID(),
                content: .video(
                    VideoContent(
                        video: try await stored(video.video, .originalVideo), depth: try await stored(video.depth, .depth),
                        hashChain: try await stored(video.chainBytes, .hashChain), moov: try Movie(file: video.video).moov)),
                metadata: video.metadata, assertion: nil, receivedAt: .distantPast))
        return id
    }

    private func handle(_ capture: CaptureID, _ decoder: ScriptedDecoder) async throws {
        let videos = VideoAnalysis(storage: store, decoder: decoder, scratchFolder: FileManager.default.temporaryDirectory.path)
        let context = MessageContext(eventID: EventID(), topic: .videoReceived, logger: Logger(label: "tests"))
        try await PartHandler(
            AnalyzeDepth(analysis: CaptureAnalysis(storage: store, videos: videos)), parts: parts, for: VideoReceived.self
        ).handle(VideoReceived(captureID: capture), context)
    }

    @Test("judges the depth, stores every picture, and reads each part once")
    func analyzes() async throws {
        let video = try RecordedVideo(seconds: 2, startedAt: Self.now)
        let capture = try await accept(video)
        let decoder = ScriptedDecoder()
        try await handle(capture, decoder)
        let findings = try #require(parts.findings(capture))
        let measured = try #require(findings.temporal)
        #expect(measured.keyframes == 7 && measured.frameAnalyses.map(\.frame) == [0, 3, 6, 9, 12, 15, 18])
        #expect(measured.frameAnalyses.map(\.timeMilliseconds) == [0, 300, 600, 900, 1200, 1500, 1800])
        #expect(findings.measurements == nil && findings.preview != nil && findings.previewScale != nil)
        let pictures = try #require(findings.pictures)
        #expect(Set(pictures.keys) == [.poster, .thumbnail, .depthFrames])
        // Turned by 90 degrees: 64 × 48 is shown as 48 × 64.
        #expect(pictures[.poster]?.pixels == PixelSize(48, 64))
        #expect(pictures[.depthFrames]?.pixels == PixelSize(7 * 128, 96))
        let request = try #require(decoder.request)
        #expect(request.samples == [0, 3, 6, 9, 12, 15, 18] && request.playbackSide == nil)
        #expect(request.moov == (try Movie(file: video.video)).moov && request.fileLength == Int64(video.video.count))
        #expect(decoder.file == video.video)
        #expect(store.requests.filter { $0.verb == .get }.count == 2, "the video and its depth")
        #expect(parts.announced == [.done(capture)])
    }

    @Test("a video whose decoder dies, or shows nothing, is undecodable, without a poster and without a failure", arguments: [true, false])
    func undecodable(dies: Bool) async throws {
        let capture = try await accept(try RecordedVideo(seconds: 3, startedAt: Self.now))
        try await handle(capture, ScriptedDecoder(dies ? .dies : .showsNothing))
        let findings = try #require(parts.findings(capture))
        #expect(findings.temporal?.verdict == .undecided && findings.temporal?.reason == StableWord(.videoUndecodable))
        #expect(findings.pictures?[.poster] == nil && findings.preview != nil)
        #expect(parts.announced == [.done(capture)])
    }

    @Test("what came of a decoding that was interrupted does not count")
    func interrupted() async throws {
        let video = try RecordedVideo(seconds: 2, startedAt: Self.now)
        let (once, twice) = (try await accept(video), try await accept(video))
        try await handle(once, ScriptedDecoder())
        try await handle(twice, ScriptedDecoder(.decodesTwice))
        let findings = try #require(parts.findings(twice))
        #expect(findings.temporal == parts.findings(once)?.temporal && findings.temporal != nil)
        #expect(findings.pictures?[.poster]?.sha256 == parts.findings(once)?.pictures?[.poster]?.sha256)
        #expect(findings.pictures?[.poster]?.pixels == PixelSize(48, 64))
    }

    @Test("while no video can be decoded the capture waits")
    func unavailable() async throws {
        let capture = try await accept(try RecordedVideo(seconds: 1, startedAt: Self.now))
        await #expect { try await handle(capture, ScriptedDecoder(.unavailable)) } throws: { isDependencyFailure($0) }
        #expect(parts.findings(capture) == nil && parts.announced.isEmpty)
    }

    @Test("other bytes than those that were accepted are rejected", arguments: [MediaName.originalVideo, .depth])
    func damaged(name: MediaName) async throws {
        let capture = try await accept(try RecordedVideo(seconds: 1, startedAt: Self.now), damaging: name)
        let reason = await rejection { try await handle(capture, ScriptedDecoder()) }
        #expect(reason == .digestMismatch)
    }

    @Test("bytes that changed in the store are rejected as that, however early they are", arguments: [MediaName.originalVideo, .depth])
    func changed(name: MediaName) async throws {
        let capture = try await accept(try RecordedVideo(seconds: 1, startedAt: Self.now))
        store.stream(inPiecesOf: 64)
        // In the name of the box ftyp, or in the header of gzip.
        store.damage(name.key(of: capture), at: name == .depth ? 2 : 5)
        let reason = await rejection { try await handle(capture, ScriptedDecoder()) }
        #expect(reason == .digestMismatch)
    }

    @Test("a depth map that names no sample is measured without a picture")
    func strayMap() async throws {
        var video = try RecordedVideo(seconds: 2, startedAt: Self.now)
        video.maps[999] = [1, 1, 1, 1]
        try video.writeDepth()
        let capture = try await accept(video)
        let decoder = ScriptedDecoder()
        try await handle(capture, decoder)
        #expect(decoder.request?.samples == [0, 3, 6, 9, 12, 15, 18])
        #expect(parts.findings(capture)?.temporal?.keyframes == 8)
    }

    @Test("a depth map that names a sample of another time is not compared with its picture", arguments: [false, true])
    func otherTime(isMisnamed: Bool) async throws {
        var video = try RecordedVideo(seconds: 2, startedAt: Self.now)
        for sample in video.frames.indices { video.maps[sample] = [1, 1.5, 2, Float(sample) / 100 + 0.5] }
        try video.writeDepth(naming: isMisnamed ? 6 : nil)
        let capture = try await accept(video)
        let decoder = ScriptedDecoder()
        try await handle(capture, decoder)
        #expect(decoder.request?.samples == (isMisnamed ? [6] : Array(0..<20)))
        let measured = try #require(parts.findings(capture)?.temporal)
        #expect(measured.keyframes == 20)
        // All pictures but that of sample 6 are missing.
        #expect((measured.reason == StableWord(.videoUndecodable)) == isMisnamed)
    }
}

/// Gives grey pictures for whatever is asked.
final class ScriptedDecoder: VideoDecoding {
    enum Behaviour: Sendable { case decodes, decodesTwice, dies, showsNothing, unavailable }

    private let behaviour: Behaviour
    private let state = Mutex((request: DecodingRequest?.none, file: [UInt8]()))
    var request: DecodingRequest? { state.withLock { $0.request } }
    var file: [UInt8] { state.withLock { $0.file } }

    init(_ behaviour: Behaviour = .decodes) { self.behaviour = behaviour }

    func decode(
        _ request: DecodingRequest, file descriptor: Int32, begin: @escaping @Sendable () -> Void,
        _ take: @escaping @Sendable (DecodedRecord) -> Bool
    ) async throws(InspectionError) -> Bool {
        var bytes = [UInt8](repeating: 0, count: Int(request.fileLength))
        _ = pread(descriptor, &bytes, bytes.count, 0)
        state.withLock { $0 = (request, bytes) }
        if behaviour == .unavailable { throw .unavailable("no program") }
        if behaviour == .decodesTwice {
            begin()
            _ = take(.poster(width: 1, height: 1, pixels: [0, 0, 0]))
            for sample in 0..<DecodingRequest.maximumSamples {
                let pixels = [UInt8](repeating: 7, count: request.lumaWidth * request.lumaHeight)
                _ = take(.luma(sample: sample, width: request.lumaWidth, height: request.lumaHeight, pixels: pixels))
            }
        }
        begin()
        guard behaviour != .showsNothing else { return take(.end(pictures: 0)) }
        _ = take(.poster(width: 64, height: 48, pixels: [UInt8](repeating: 90, count: 64 * 48 * 3)))
        for sample in request.samples {
            let pixels = [UInt8](repeating: UInt8(truncatingIfNeeded: sample), count: request.lumaWidth * request.lumaHeight)
            guard take(.luma(sample: sample, width: request.lumaWidth, height: request.lumaHeight, pixels: pixels)) else { return false }
        }
        guard behaviour != .dies else { return false }
        return take(.end(pictures: request.samples.count))
    }
}

extension VideoAnalysis {
    /// For captures of photos.
    static func unused(_ store: MemoryObjectStore) -> VideoAnalysis {
        VideoAnalysis(storage: store, decoder: ScriptedDecoder(.unavailable), scratchFolder: FileManager.default.temporaryDirectory.path)
    }
}
