import CaptureProtocol
import Compression
import Crypto
import Foundation
import Models
import Movie
import NIOCore
import TestSupport
import Testing

@testable import Gateway

/// The form of a video capture, in the order of SPEC §10.1.
@Suite("Video submissions")
struct VideoSubmissionTests {
    private static let recorded = Result { try RecordedVideo(seconds: 1, startedAt: Date(timeIntervalSince1970: 1_795_240_800)) }

    @Test("parts of the right form are a submission, whatever the size of the pieces that they come in", arguments: [1, 37, 4096, .max])
    func sound(chunk: Int) throws {
        let video = try Self.recorded.get()
        let submission = try Self.submission(video, chunk: chunk)
        #expect(submission.content.moov == (try Movie(file: video.video)).moov)
        #expect(submission.content.video.sha256 == ContentDigest(of: video.video))
        #expect(submission.metadata.deviceModel == "iPhone 15 Pro" && submission.assertion == nil && submission.detection == nil)
        #expect(submission.kept.map(\.name) == [.metadata, .hashChain])
        #expect(submission.kept.map(\.bytes) == [video.metadata, video.chainBytes])
        let capture = submission.capture(CaptureID(), device: DeviceID(), receivedAt: Date())
        #expect(capture.assertionHash == ContentDigest(of: video.chainBytes), "without an assertion the chain stands for it")
        #expect(capture.capturedAt == .exact(submission.metadata.startedAt))
    }

    @Test("each missing part is a validation error that names it", arguments: [UploadPart.video, .depthData, .hashChain, .metadata])
    func missing(part: UploadPart) throws {
        let video = try Self.recorded.get()
        let refused = refusal { _ = try Self.submission(video, without: part) }
        #expect(refused?.code == .validationError && refused?.details.map(\.field) == [part.rawValue])
    }

    @Test(
        "metadata of the wrong form are named",
        arguments: [
            ("type", "\"photo\""), ("video_hash", "\"00\""), ("video_hash", nil), ("recording", nil), ("recording", "\"e30=\""),
        ] as [(String, String?)])
    func metadata(field: String, value: String?) throws {
        var video = try Self.recorded.get()
        var members = try #require(try JSONSerialization.jsonObject(with: Data(video.metadata)) as? [String: Any])
        members[field] = try value.map { try JSONSerialization.jsonObject(with: Data($0.utf8), options: .fragmentsAllowed) }
        video.metadata = Array(try JSONSerialization.data(withJSONObject: members))
        let refused = refusal { _ = try Self.submission(video) }
        #expect(refused?.code == .invalidMetadata)
        #expect(refused?.details.first?.field.hasPrefix(field) == true)
    }

    @Test("the hash of another video is refused")
    func otherHash() throws {
        var video = try Self.recorded.get()
        video.video.append(contentsOf: [0, 0, 0, 8] + Array("free".utf8))
        #expect(refusal { _ = try Self.submission(video) }?.details.map(\.field) == ["video_hash"])
    }

    @Test("a file that is no movie is an unsupported media type; one that is not allowed an invalid video")
    func file() throws {
        func refused(_ change: (inout [UInt8]) -> Void) throws -> APIError? {
            var video = try Self.recorded.get()
            change(&video.video)
            try video.describe()
            return refusal { _ = try Self.submission(video) }
        }
        #expect(try refused { $0 = Array("\u{1a}Eß matroska".utf8) }?.code == .unsupportedMediaType)
        let cut = try refused { $0.removeLast(20) }
        #expect(cut?.code == .invalidVideo && cut?.details.map(\.field) == ["video"])
        #expect(try refused { $0 += [0, 0, 0, 8] + Array("moof".utf8) }?.details.map(\.problem) == ["is fragmented"])
    }

    @Test("depth data out of form are refused with what is wrong")
    func depth() throws {
        func problem(_ bytes: [UInt8]) throws -> String? {
            var video = try Self.recorded.get()
            video.depth = bytes
            let refused = refusal { _ = try Self.submission(video) }
            #expect(refused?.code == .invalidDepthFormat && refused?.details.map(\.field) == ["depth_data"])
            return refused?.details.first?.problem
        }
        #expect(try problem(Array("not deflated at all".utf8))?.contains("DEFLATE") == true)
        #expect(try problem(Deflate.compress([1, 2, 3]))?.contains("ends inside") == true)
        #expect(try problem(Deflate.compress([UInt8](repeating: 7, count: 64)))?.contains("RLDP") == true)
        let bomb = try Deflate.compress([UInt8](repeating: 0, count: 60 << 20), level: 1)
        #expect(try problem(bomb) != nil)
    }

    @Test("depth data that inflate without end are refused at their limit")
    func bomb() throws {
        var video = try Self.recorded.get()
        var bytes: [UInt8] = Array("RLDP".utf8) + [2, 0, 0, 0, 0, 4, 0, 4, 0, 0, 0, 0]
        for index in 0..<13 {
            bytes += [UInt8(index), 0, 0, 0, 0, 0, 0, 0, UInt8(index), 0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 4 << 20)
        }
        video.depth = try Deflate.compress(bytes, level: 1)
        #expect(refusal { _ = try Self.submission(video) }?.details.map(\.problem) == ["inflates to more than 48 MiB"])
    }

    @Test(
        "a hash chain of the wrong form is refused",
        arguments: [
            "", "[]", #"{"version":2}"#, #"{"version":2,"frame_hashes":[],"final_hash":"x"}"#,
            #"{"frame_hashes":["AA=="],"final_hash":"x"}"#,
        ])
    func chain(text: String) throws {
        var video = try Self.recorded.get()
        video.chainBytes = Array(text.utf8)
        #expect(refusal { _ = try Self.submission(video) }?.code == .invalidHashChain)
    }

    @Test("checkpoints ascend, are at most eight, and have assertions of CBOR")
    func checkpoints() throws {
        func code(_ checkpoints: [VideoCheckpoint]) throws -> ErrorCode? {
            var video = try Self.recorded.get()
            video.chain = HashChain(
                frameHashes: video.chain.frameHashes, finalHash: video.chain.finalHash, soundFrames: 0, soundFinalHash: nil,
                checkpoints: checkpoints)
            try video.describe()
            return refusal { _ = try Self.submission(video) }?.code
        }
        func point(_ index: UInt32, _ frames: Int, _ assertion: [UInt8]? = nil) -> VideoCheckpoint {
            VideoCheckpoint(index: index, frames: frames, hash: .zero, soundFrames: 0, soundHash: .zero, assertion: assertion)
        }
        #expect(try code([point(0, 1), point(1, 2)]) == nil)
        #expect(try code([point(1, 1), point(1, 2)]) == .invalidHashChain)
        #expect(try code([point(0, 2), point(1, 2)]) == .invalidHashChain)
        #expect(try code((0..<9).map { point($0, Int($0) + 1) }) == .invalidHashChain)
        #expect(try code([point(0, 1, [0xff])]) == .invalidHashChain)
        #expect(try code([point(0, 1, [0xa0])]) == nil)
    }

    @Test("the first thing wrong in the order of parts, metadata, video, depth data and hash chain decides")
    func order() throws {
        var video = try Self.recorded.get()
        video.chainBytes = []
        #expect(refusal { _ = try Self.submission(video) }?.code == .invalidHashChain)
        video.depth = [1]
        #expect(refusal { _ = try Self.submission(video) }?.code == .invalidDepthFormat)
        video.video.removeLast(20)
        let chain = video.chainBytes
        try video.describe()
        video.chainBytes = chain
        #expect(refusal { _ = try Self.submission(video) }?.code == .invalidVideo)
        video.metadata = []
        #expect(refusal { _ = try Self.submission(video) }?.code == .invalidMetadata)
        #expect(refusal { _ = try Self.submission(video, without: .depthData) }?.code == .validationError)
    }

    @Test("in the original layout hash and recording may be absent; with version 2 they may not")
    func original() throws {
        var video = try Self.recorded.get()
        video.metadata = Array(
            #"{"type":"video","started_at":"2026-11-21T07:00:00Z","device_model":"iPhone 15 Pro","assertion":"oA=="}"#.utf8)
        #expect(refusal { _ = try Self.submission(video) }?.code == .invalidMetadata)
        let hash = Base64.encode(ContentDigest.zero.bytes)
        video.chainBytes = Array(#"{"frame_hashes":["\#(hash)"],"checkpoints":[],"final_hash":"\#(hash)"}"#.utf8)
        let submission = try Self.submission(video)
        #expect(submission.assertion == [0xa0] && submission.metadata.recordingBytes == nil)
    }

    @Test("a video of more than 100,000,000 bytes is too large")
    func tooLarge() throws {
        var parts = VideoParts()
        let chunk = [UInt8](repeating: 0, count: 1_000_000)[...]
        for _ in 0..<100 { try parts.inspect(chunk, of: .originalVideo) }
        #expect(throws: CaptureError.videoTooLarge) { try parts.inspect([0], of: .originalVideo) }
    }

    /// Feeds the parts as the intake does.
    private static func submission(_ video: RecordedVideo, chunk: Int = 1000, without missing: UploadPart? = nil) throws -> VideoSubmission
    {
        var parts = VideoParts()
        for (part, bytes, name) in [(UploadPart.video, video.video, MediaName.originalVideo), (.depthData, video.depth, .depth)]
        where part != missing {
            #expect(VideoParts.object(of: part) == name)
            parts.begin(name)
            var rest = bytes[...]
            while !rest.isEmpty {
                try parts.inspect(rest.prefix(chunk), of: name)
                rest = rest.dropFirst(chunk)
            }
            var hasher = SHA256()
            hasher.update(data: bytes)
            parts.end(
                StoredMedia(
                    key: part.rawValue, sha256: ContentDigest(hasher.finalize()), sizeBytes: Int64(bytes.count),
                    contentType: name.contentType),
                name, hasher: hasher)
        }
        for (part, bytes) in [(UploadPart.metadata, video.metadata), (.hashChain, video.chainBytes)] where part != missing {
            parts.collect(bytes.count > VideoParts.collected[part] ?? 0 ? nil : bytes, of: part)
        }
        if let assertion = video.assertion { parts.collect(assertion, of: .assertion) }
        return try VideoSubmission(parts.received, of: CaptureID())
    }
}

extension VideoParts {
    fileprivate mutating func inspect(_ bytes: ArraySlice<UInt8>, of name: MediaName) throws {
        try inspect(ByteBuffer(bytes: bytes), of: name)
    }
}
