import CaptureProtocol
import Foundation
import Movie
import SimulatedDevice
import TestSupport
import Testing

extension SystemTests {
    @Suite("Verifying videos of ours", .verifyingGateway(6))
    struct VideoVerifications {
        /// The published files of a video of samples that no decoder can read, with the roles reported for them.
        private static let published = [
            ("c2pa.mp4", "c2pa_copy"), ("manifest.c2pa", "manifest"), ("depth-preview.png", "depth_preview"),
            ("depth-frames.jpg", "depth_frames"),
        ]

        @Test("the original and every published file are recognised, by their bytes and by their digests", .timeLimit(.minutes(5)))
        func known() async throws {
            let gateway = try VerifyingGateway.required()
            let capture = try await Self.sent()
            var files = [(capture.video.video, "original")]
            for (name, role) in Self.published { files.append((try await capture.media(name), role)) }
            for (bytes, role) in files {
                for answer in [try await gateway.verify(bytes, name: "video.mp4"), try await gateway.verify(hash: bytes.sha256)] {
                    #expect(answer.status == 200 && answer.verdict == "verified" && answer.matched == role, "\(role): \(answer.text)")
                    // All recordings have the same pictures of their depth.
                    if !role.hasPrefix("depth_") { #expect(answer.captureID == capture.id) }
                }
            }
        }

        @Test("a copy that was written again is recognised by its manifest, and not if what plays was changed", .timeLimit(.minutes(5)))
        func writtenAgain() async throws {
            let gateway = try VerifyingGateway.required()
            let capture = try await Self.sent()
            let copy = try await capture.media("c2pa.mp4")
            let note = TestBox("free", Array("a note".utf8)).bytes
            for (name, other) in [("another brand", copy.changed(at: 8)), ("a box more", copy + note)] {
                APIRefusal.hashNotFound.expectEnvelope(try await gateway.verify(hash: other.sha256))
                let answer = try await gateway.verify(other, name: "video.mp4")
                #expect(
                    answer.verdict == "verified" && answer.matched == "c2pa_copy" && answer.captureID == capture.id,
                    "\(name): \(answer.text)")
                #expect(answer.data["file_hash"] as? String == other.sha256)
            }
            let movie = try Movie(file: copy)
            let sample = Int(try #require(movie.video.samples.last).offset)
            let changes = [
                ("a sample", copy.changed(at: sample)), ("the tables", copy.changed(at: Int(movie.moov.lowerBound) + 30)),
                ("a box that is not known", copy + TestBox("uuid", [UInt8](repeating: 3, count: 20)).bytes),
                ("the end", Array(copy.dropLast(1))),
            ]
            for (name, other) in changes {
                let answer = try await gateway.verify(other, name: "video.mp4")
                #expect(answer.status == 200 && answer.verdict == "c2pa_only" && answer.captureID == nil, "\(name): \(answer.text)")
                #expect(["invalid", "unreadable"].contains(answer.validationState ?? ""), "\(name): \(answer.text)")
            }
        }

        @Test("a copy of the largest video is recognised, also when it was written again, in little memory", .timeLimit(.minutes(8)))
        func largest() async throws {
            let gateway = try VerifyingGateway.required()
            let capture = try await Self.sent(bytes: SizeLimits.videoPart)
            let copy = try await capture.media("c2pa.mp4")
            #expect(copy.count > SizeLimits.videoPart - 10_000 && copy.count <= SizeLimits.video)
            _ = try await gateway.verify(hash: copy.sha256)
            try gateway.forgetPeak()
            let before = try gateway.peakMemory()
            for file in [copy, copy.changed(at: 8), capture.video.video] {
                let answer = try await gateway.verify(file, name: "video.mp4")
                #expect(answer.verdict == "verified" && answer.captureID == capture.id, "\(answer.text)")
            }
            let grown = try gateway.peakMemory() - before
            #expect(grown < 48 << 20, "the gateway grew by \(grown >> 20) MB")
        }

        private struct SentVideo {
            let id: String
            let video: RecordedVideo

            func media(_ name: String) async throws -> [UInt8] {
                let stack = try LocalStack.required()
                let answer = try await TestClient.current().send("GET", stack.link(id, name, expires: Date() + 600))
                #expect(answer.status == 200, "\(name): \(answer.status)")
                return answer.body
            }
        }

        /// - Parameter bytes: of the file; what the recording has without it.
        private static func sent(bytes: Int? = nil) async throws -> SentVideo {
            let client = try TestClient.current()
            var device = try await client.device()
            let seed = UInt8.random(in: .min ... .max)
            var video = try RecordedVideo(of: &device, seconds: 2, seed: seed)
            if let bytes {
                // The tables keep their size: samples have sizes of their own in any case.
                let (each, rest) = (bytes - video.video.count).quotientAndRemainder(dividingBy: video.frames.count)
                for index in video.frames.indices {
                    video.frames[index] += [UInt8](repeating: seed, count: index == 0 ? each + rest : each)
                }
                video.writeFile()
                #expect(video.video.count == bytes)
                try video.record { try device.assertion(clientDataHash: $0.bytes) }
            }
            let id = try await client.accepted(video.form, of: device, to: TestClient.videos).value.id
            let answer = try await client.settled(id, within: .seconds(60))
            #expect(answer.evidence("content_credentials.status") == "embedded", "\(answer.text)")
            return SentVideo(id: id, video: video)
        }
    }
}
