import CaptureProtocol
import Compression
import Foundation
import Movie
import SimulatedDevice
import TestSupport
import Testing

/// A file of a recording with one thing changed, and the rule that refuses it (SPEC §10.1).
struct MovieLie: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let code: MovieError.Code
    let change: @Sendable (TestBox) -> Void

    init(_ name: String, _ code: MovieError.Code, _ change: @escaping @Sendable (TestBox) -> Void) {
        (testDescription, self.code, self.change) = (name, code, change)
    }

    static let all = [
        MovieLie("cut off before moov", .movieBoxMissing) { $0.remove("moov") },
        MovieLie("cut off inside a box behind moov", .truncated) {
            $0.children.append(TestBox("free", [0, 0]))
            $0["free"].size = .claimed(1000)
        },
        MovieLie("fragmented", .fragmented) { $0.children.append(TestBox("moof")) },
        MovieLie("pictures hidden by an edit list", .editList) { $0.video.edit([(600, 300, 1 << 16)]) },
        MovieLie("mirrored", .matrix) { $0.video["tkhd"].put(be32(-1 << 16), at: 40) },
        MovieLie("two video tracks", .twoVideoTracks) { $0.movie.children.append($0.video) },
        // Of one size.
        MovieLie("two samples at one place", .samplesOverlap) {
            let offsets = $0.video.table["stco"]
            offsets.put(Array(offsets.payload[8..<12]), at: 8 + 4 * 7)
        },
        MovieLie("a sample outside mdat", .sampleOutsideMediaData) { $0.video.table["stco"].put(be32(0), at: 8) },
        MovieLie("2³¹ samples", .tableLength) { $0.video.table["stsz"].put(be32(1 << 31), at: 8) },
        MovieLie("no samples", .sampleCount) { $0.video.table["stsz"].payload = be32(0) + be32(0) + be32(0) },
        MovieLie("counts whose sum overflows", .tablesDisagree) { $0.video.table["stts"].entries([9, 60, -1, 1], perEntry: 2) },
        MovieLie("boxes 10,000 deep", .nestedTooDeep) {
            $0.movie.children.append((0..<10_000).reduce(TestBox("udta")) { inner, _ in TestBox("udta", inner.bytes) })
        },
        MovieLie("a size of 0 inside another box", .boxOutsideParent) { $0.video["mdia"].size = .toEnd },
        MovieLie("a 64-bit size of 2⁶⁴ − 1", .truncated) {
            $0.children.append(TestBox("free", be64(-1)))
            $0["free"].size = .claimed(1)
        },
        MovieLie("15.6 s", .tooLong) { $0.video.table["stts"].entries([9, 60, 1, 9360 - 540], perEntry: 2) },
        MovieLie("AV1", .videoCodec) { $0.video.entry.type = "av01" },
    ]
}

extension SystemTests {
    /// Over HTTP, in the order of SPEC §10.1, each with its code.
    @Suite("Refusals of videos")
    struct VideoRefusals {
        @Test("name the rule that the file breaks", arguments: MovieLie.all)
        func file(lie: MovieLie) async throws {
            var device = try await TestClient.current().device()
            var video = try RecordedVideo(of: &device)
            let file = TestBox.file(video.video)
            lie.change(file)
            video.video = file.fileBytes
            try video.describe()
            let rule = #expect(throws: MovieError.self) { try Movie(file: video.video) }
            #expect(rule?.code == lie.code)
            let answer = try await expect(video, &device, .invalidVideo)
            let details = (answer.json["error"] as? [String: Any])?["details"] as? [[String: Any]]
            #expect(details?.first?["field"] as? String == "video" && details?.first?["problem"] as? String == rule?.message)
        }

        @Test("name what is no movie, what inflates without end, and parts that are out of form or absent")
        func parts() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let sound = try RecordedVideo(of: &device)
            for missing in ["video", "depth_data", "hash_chain", "metadata"] {
                let form = sound.form.filter { !$0.disposition.contains("\"\(missing)\"") }
                APIRefusal.validationError.expectEnvelope(try await client.submit(&device, form, to: TestClient.videos), missing)
            }
            var video = sound
            video.video = Array("\u{1a}E, a Matroska file".utf8)
            try video.describe()
            _ = try await expect(video, &device, .unsupportedMediaType)
            for depth in [try Bomb.gzipOfZeros(bytes: 1 << 30), Array("no depth".utf8), try Deflate.compress([1, 2, 3])] {
                video = sound
                video.depth = depth
                _ = try await expect(video, &device, .invalidDepthFormat)
            }
            video = sound
            video.metadata = Array(#"{"type":"video"}"#.utf8)
            _ = try await expect(video, &device, .invalidMetadata)
            video = sound
            video.metadata = [UInt8](repeating: 0x20, count: 65_537)
            _ = try await expect(video, &device, .invalidMetadata)
            for chain in [Array(#"{"version":2}"#.utf8), [UInt8](repeating: 0x20, count: 131_073)] {
                video = sound
                video.chainBytes = chain
                _ = try await expect(video, &device, .invalidHashChain)
            }
            video = sound
            video.assertion = Array("not CBOR".utf8)
            _ = try await expect(video, &device, .invalidAssertion)
        }

        @Test("100,000,000 bytes of video are accepted, one more is too large", .timeLimit(.minutes(5)))
        func size() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let sound = try RecordedVideo(of: &device)
            func grown(to size: Int) throws -> RecordedVideo {
                var video = sound
                let box = size - video.video.count
                video.video += be32(box) + Array("free".utf8) + [UInt8](repeating: 0, count: box - 8)
                try video.describe()
                video.assertion = nil
                return video
            }
            _ = try await expect(try grown(to: 100_000_001), &device, .payloadTooLarge)
            let answer = try await client.submit(&device, try grown(to: 100_000_000).form, to: TestClient.videos)
            #expect(answer.status == 201, "\(answer.text)")
            let id = try #require(answer.data["capture_id"] as? String)
            _ = try await client.settled(id, within: .seconds(90))
        }

        @Test("a recording that was sent before is found again, and nothing is counted twice")
        func again() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let form = try RecordedVideo(of: &device).form
            let first = try await client.submit(&device, form, to: TestClient.videos)
            #expect(first.status == 201 && first.data["type"] as? String == "video" && first.data["status"] as? String == "processing")
            let id = try #require(first.data["capture_id"] as? String)
            #expect(first.headers["location"]?.hasSuffix("/api/v1/captures/\(id)") == true)
            let again = try await client.submit(&device, form.reversed(), to: TestClient.videos)
            #expect(again.status == 200 && again.data["capture_id"] as? String == id)
        }

        private func expect(_ video: RecordedVideo, _ device: inout SimulatedDevice, _ code: APIRefusal) async throws -> Answer {
            let answer = try await TestClient.current().submit(&device, video.form, to: TestClient.videos)
            code.expectEnvelope(answer)
            return answer
        }
    }
}
