import CaptureKit
import CaptureProtocol
import Crypto
import Depth
import Foundation
import Movie
import Scene
import SimulatedCamera
import Testing
import VideoChain

/// Records small videos in a folder of its own, and reads what was written as the server does.
struct TestRecording {
    let folder: RecordingFolder
    static let info = VideoRecording(
        id: UUID(), startedAt: Date(timeIntervalSince1970: 1_790_000_000), deviceModel: "iPhone 15 Pro", osVersion: nil, location: nil)

    static func inFolder<Result>(quickTime: Bool = false, _ body: (TestRecording) async throws -> Result) async throws -> Result {
        let path = FileManager.default.temporaryDirectory.appending(path: "recording-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await body(TestRecording(folder: RecordingFolder(path, files: PosixFiles(), isQuickTime: quickTime)))
    }

    static func camera(seconds: Double) throws -> SceneCamera {
        var options = VideoOptions()
        options.size = (32, 24)
        options.depthSize = (8, 6)
        return SceneCamera(try VideoRenderer(.walk, seed: 3, options: options), seconds: seconds)
    }

    func record(
        from source: some FrameSource<[UInt8], [UInt8]>, signer: any RecordingSigner, codec: VideoCodec = .h264, bFrames: Bool = false,
        sound: Bool = true
    ) async throws -> RecordedVideo {
        var options = FFmpegVideoEncoder.Options()
        options.codec = codec
        options.hasBFrames = bFrames
        options.rotation = .quarter
        return try await VideoRecorder(Self.info, in: folder, signer: signer)
            .record(
                from: source, video: try FFmpegVideoEncoder(width: 32, height: 24, options: options),
                sound: sound ? try FFmpegAudioEncoder() : nil)
    }

    func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: path))) }

    var chain: HashChain {
        get throws {
            guard case .chain(let chain) = try SubmittedHashChain.parse(bytes(folder.hashChain)) else {
                throw CocoaError(.coderInvalidValue)
            }
            return chain
        }
    }

    var movie: Movie {
        get throws {
            var scanner = MovieScanner()
            try scanner.consume(bytes(folder.video)[...])
            return try scanner.finish()
        }
    }

    /// The chain as the server computes it from the file.
    func comparison() throws -> ChainComparison {
        let (file, movie) = (try bytes(folder.video), try movie)
        var samples = SampleDigests(of: movie)
        file.withUnsafeBytes { samples.update($0) }
        let digests = try #require(samples.finish())
        let metadata = try VideoMetadata.parse(bytes(folder.metadata), isOriginalLayout: false)
        let depth = try depth()
        return ChainComparison(
            of: try chain, recording: ContentDigest(of: try #require(metadata.recordingBytes)), movie: movie, depthWidth: 8, depthHeight: 6,
            depth: depth, frames: digests.frames, packets: digests.packets)
    }

    /// The depth maps of a whole gzip stream.
    func depth() throws -> DepthDigests {
        let reading = DepthReading()
        let stream = InflatedStream(limit: SizeLimits.videoCapture, reading)
        try stream.update(bytes(folder.depth))
        _ = try stream.finish()
        return reading.parser.visitor
    }

    /// The digest that the assertion of the end covers.
    func finalHash() throws -> ContentDigest {
        func digest(_ path: String) throws -> ContentDigest { ContentDigest(of: try bytes(path)) }
        return VideoClientData.final(
            video: try digest(folder.video), depth: try digest(folder.depth), metadata: try digest(folder.metadata),
            hashChain: try digest(folder.hashChain))
    }
}

private final class DepthReading: InflatedBytesConsumer {
    var parser = DepthDataParser(DepthDigests())

    func consume(_ bytes: UnsafeRawBufferPointer) throws(DepthError) {
        do throws(DepthDataError) { try parser.update(bytes) } catch { throw DepthError(.corrupt, error.description) }
    }

    func end() throws(DepthError) {
        do throws(DepthDataError) { try parser.finish() } catch { throw DepthError(.truncated, error.description) }
    }
}

/// "Signs" by giving back what is signed; the assertions with these numbers fail.
actor EchoSigner: RecordingSigner {
    private let failing: Set<Int>
    private var count = 0

    init(failing: Set<Int> = []) { self.failing = failing }

    func assertion(over clientDataHash: ContentDigest) -> [UInt8]? {
        defer { count += 1 }
        return failing.contains(count) ? nil : clientDataHash.bytes
    }
}

/// Stops as if the process were killed, after a number of inputs.
actor CrashingCamera: FrameSource {
    struct Crash: Error {}

    private let source: SceneCamera
    private var left: Int

    init(_ source: SceneCamera, after inputs: Int) {
        self.source = source
        left = inputs
    }

    func next() async throws -> CameraInput<[UInt8], [UInt8]>? {
        guard left > 0 else { throw Crash() }
        left -= 1
        return try await source.next()
    }
}

/// Interrupted after a number of inputs.
actor InterruptedCamera: FrameSource {
    private let source: SceneCamera
    private var left: Int

    init(_ source: SceneCamera, after inputs: Int) {
        self.source = source
        left = inputs
    }

    func next() async throws -> CameraInput<[UInt8], [UInt8]>? {
        guard left > 0 else { return .interruption }
        left -= 1
        return try await source.next()
    }
}

extension TestRecording {
    func has(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
    func write(_ bytes: [UInt8], to path: String) throws { try Data(bytes).write(to: URL(filePath: path)) }
}
