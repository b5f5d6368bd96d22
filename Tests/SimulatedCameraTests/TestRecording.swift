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

/// Records small videos in a store of its own, and reads their parts as the server does.
struct TestRecording {
    let folder: PartFolder
    /// Of the store, whose content is sealed.
    let path: String
    let store: CaptureStore
    let isQuickTime: Bool
    let sizes: Sizes
    static let info = VideoRecording(
        id: UUID(), startedAt: Date(timeIntervalSince1970: 1_790_000_000), deviceModel: "iPhone 15 Pro", osVersion: nil, location: nil)

    /// Pixels of pictures and depth maps.
    struct Sizes {
        var picture = (width: 32, height: 24)
        var depth = (width: 8, height: 6)
        /// In which motion can be measured.
        static let measurable = Sizes(picture: (160, 120), depth: (64, 48))
    }

    static func inFolder<Result>(quickTime: Bool = false, _ sizes: Sizes = Sizes(), _ body: (TestRecording) async throws -> Result)
        async throws -> Result
    {
        let path = FileManager.default.temporaryDirectory.appending(path: "recording-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try FileManager.default.createDirectory(atPath: path + "/parts", withIntermediateDirectories: true)
        let store = try await CaptureStore.open(in: path + "/store", secrets: FolderSecureStore(folder: path + "/keychain"))
        let recording = TestRecording(
            folder: PartFolder(path: path + "/parts", isQuickTime: quickTime), path: path + "/store", store: store, isQuickTime: quickTime,
            sizes: sizes)
        let result = try await body(recording)
        try store.close()
        return result
    }

    static func camera(seconds: Double, _ sizes: Sizes = Sizes()) throws -> SceneCamera {
        SceneCamera(try renderer(sizes), seconds: seconds)
    }

    static func renderer(_ sizes: Sizes) throws -> VideoRenderer {
        var options = VideoOptions()
        options.size = sizes.picture
        options.depthSize = sizes.depth
        return try VideoRenderer(.walk, seed: 3, options: options)
    }

    func record(
        from source: some FrameSource<[UInt8], [UInt8]>, signer: any RecordingSigner, codec: VideoCodec = .h264, bFrames: Bool = false,
        sound: Bool = true, privacy: PrivacySettings = .standard
    ) async throws -> Recorded {
        var options = FFmpegVideoEncoder.Options()
        options.codec = codec
        options.hasBFrames = bFrames
        options.rotation = .quarter
        let recorder = try await store.beginRecording(Self.info, isQuickTime: isQuickTime, privacy: privacy, signer: signer)
        try await recorder.record(
            from: source, video: try FFmpegVideoEncoder(width: sizes.picture.width, height: sizes.picture.height, options: options),
            sound: sound ? try FFmpegAudioEncoder() : nil)
        return try exported(
            try await store.addRecording(recorder.id) { hash in
                guard let assertion = await signer.assertion(over: hash) else { return .later }
                return .made(assertion, by: EchoSigner.id)
            })
    }

    /// What a recording that was cut off became.
    func recover() async throws -> Recorded { try #require(try await recovered()) }

    /// What a recording that was cut off became, if anything was left of it.
    func recovered() async throws -> Recorded? {
        try await store.recoverRecordings { _ in .later }.first.map { try exported($0) }
    }

    /// Everything that is in the store's files.
    func sealed() throws -> [UInt8] {
        let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        return names.flatMap { FileManager.default.contents(atPath: path + "/" + $0).map(Array.init) ?? [] }
    }

    /// The sealed log of what was recorded, while it is not a capture.
    func log() throws -> String {
        let name = try FileManager.default.contentsOfDirectory(atPath: path + "/content").first { $0.hasSuffix(".recording") }
        guard let name else { throw CocoaError(.fileNoSuchFile) }
        return path + "/content/" + name
    }

    var hasLog: Bool { (try? log()) != nil }

    private func exported(_ capture: StoredCapture) throws -> Recorded {
        let parts: [(SealedKind, String)] = [
            (.video, folder.video), (.depth, folder.depth), (.hashChain, folder.hashChain), (.metadata, folder.metadata),
            (.assertion, folder.assertion), (.original, folder.video), (.originalDepth, folder.depth),
            (.originalHashChain, folder.hashChain), (.originalMetadata, folder.metadata), (.payload, folder.payload),
        ]
        for (kind, path) in parts where capture.sizes[kind] != nil {
            if has(path) { try FileManager.default.removeItem(atPath: path) }
            try store.export(kind, of: capture.id, to: path)
        }
        return Recorded(facts: try #require(capture.facts.video), isSigned: capture.hasAssertion, state: capture.state)
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
            of: try chain, recording: ContentDigest(of: try #require(metadata.recordingBytes)), movie: movie,
            depthWidth: UInt16(sizes.depth.width), depthHeight: UInt16(sizes.depth.height),
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
        do throws(DepthDataError) { try parser.update(bytes) } catch { throw DepthError(.corrupt, error.message) }
    }

    func end() throws(DepthError) {
        do throws(DepthDataError) { try parser.finish() } catch { throw DepthError(.truncated, error.message) }
    }
}

/// The parts of a video in a folder.
struct PartFolder {
    let path: String
    let isQuickTime: Bool

    var video: String { path + (isQuickTime ? "/video.mov" : "/video.mp4") }
    var depth: String { path + "/depth.gz" }
    var hashChain: String { path + "/hash-chain.json" }
    var metadata: String { path + "/metadata.json" }
    var assertion: String { path + "/assertion.cbor" }
    var payload: String { path + "/payload.json" }
}

/// What a recording became.
@dynamicMemberLookup
struct Recorded {
    let facts: RecordingFacts
    let isSigned: Bool
    let state: CaptureState

    subscript<Value>(dynamicMember path: KeyPath<RecordingFacts, Value>) -> Value { facts[keyPath: path] }
}

/// "Signs" by giving back what is signed; the assertions with these numbers fail.
actor EchoSigner: RecordingSigner {
    static let id = DeviceID()

    var device: DeviceID? { Self.id }
    private let failing: Set<Int>
    private var count = 0

    init(failing: Set<Int> = []) { self.failing = failing }

    func assertion(over clientDataHash: ContentDigest) -> [UInt8]? {
        defer { count += 1 }
        return failing.contains(count) ? nil : clientDataHash.bytes
    }
}

/// Stops after a number of inputs.
actor StoppingCamera: FrameSource {
    /// Thrown as if the process were killed.
    struct Crash: Error {}
    enum Stop { case crash, interruption }

    private let source: SceneCamera
    private let stop: Stop
    private var left: Int

    init(_ source: SceneCamera, _ stop: Stop, after inputs: Int) {
        self.source = source
        self.stop = stop
        left = inputs
    }

    func next() async throws -> CameraInput<[UInt8], [UInt8]>? {
        guard left > 0 else {
            switch stop {
            case .crash: throw Crash()
            case .interruption: return .interruption
            }
        }
        left -= 1
        return try await source.next()
    }
}

/// Does something while it is recorded.
struct LookingCamera: FrameSource {
    private let source: SceneCamera
    private let look: @Sendable () async throws -> Void

    init(_ source: SceneCamera, _ look: @escaping @Sendable () async throws -> Void) {
        self.source = source
        self.look = look
    }

    func next() async throws -> CameraInput<[UInt8], [UInt8]>? {
        try await look()
        return try await source.next()
    }
}

extension TestRecording {
    func has(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
    func write(_ bytes: [UInt8], to path: String) throws { try Data(bytes).write(to: URL(filePath: path)) }
}
