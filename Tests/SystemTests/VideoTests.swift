import CaptureProtocol
import Foundation
import SimulatedDevice
import TestSupport
import Testing

extension SystemTests {
    /// Recordings of rendered scenes, through `rial video`, against the real services.
    @Suite("Videos")
    struct Videos {
        @Test("a room panned, and a room walked through in HEVC, become HIGH, signed, with what pages need of them")
        func real() async throws {
            let camera = try VideoCamera()
            let room = try await camera.sent(try await camera.record("room", "--seconds", "3", "--size", "320x240"))
            #expect(room.confidence == "high" && room.verdict == "real" && room.chain == "pass" && room.credentials == "embedded")
            #expect(
                room.names == [
                    "c2pa.mp4", "depth-frames.jpg", "depth-preview.png", "depth.gz", "hash-chain.json", "manifest.c2pa",
                    "metadata.json", "og.jpg", "original.mp4", "poster.jpg", "thumbnail.jpg",
                ])
            let walk = try await camera.sent(
                try await camera.record(
                    "walk", "--seconds", "3", "--size", "320x240", "--codec", "hevc", "--mov", "--b-frames", "--no-sound"))
            #expect(walk.confidence == "high" && walk.verdict == "real" && walk.chain == "pass")
            #expect(walk.names.contains("playback.mp4"), "browsers may not play HEVC")
        }

        @Test("a filmed screen is flat, and the same depth over and over is undecided: neither is held against them")
        func notReal() async throws {
            let camera = try VideoCamera()
            let screen = try await camera.sent(try await camera.record("screen", "--seconds", "3", "--size", "320x240"))
            #expect(screen.confidence == "medium" && screen.verdict == "flat" && screen.chain == "pass")
            let frozen = try await camera.sent(
                try await camera.record("room", "--seconds", "3", "--size", "320x240", "--frozen-depth"))
            #expect(frozen.confidence == "medium" && frozen.verdict == "undecided" && frozen.reason == "frozen_depth")
        }

        /// How a recording was changed, and what its evidence says: confidence, chain and the frame at which it breaks.
        private static let tampered = [
            Tampering("dropped", "suspicious", "fail chain_mismatch", breakAt: "40"),
            Tampering("dropped-gap-closed", "suspicious", "fail chain_mismatch", breakAt: "40"),
            Tampering("duplicated", "suspicious", "fail chain_mismatch", breakAt: "41"),
            Tampering("inserted", "suspicious", "fail chain_mismatch", breakAt: "40"),
            Tampering("reordered", "suspicious", "fail chain_mismatch", breakAt: "40"),
            Tampering("reencoded", "suspicious", "fail chain_mismatch", breakAt: "40"),
            Tampering("restarted-chain", "suspicious", "fail chain_mismatch", breakAt: "40"),
            Tampering("turned", "suspicious", "fail chain_mismatch", breakAt: "0"),
            Tampering("other-depth", "suspicious", "fail chain_mismatch", breakAt: "0"),
            Tampering("sound-replaced", "suspicious", "fail chain_mismatch", breakAt: ""),
            Tampering("moov-changed", "suspicious", "inconclusive unsigned", breakAt: ""),
            Tampering("missing-signatures", "medium", "inconclusive unsigned", breakAt: ""),
        ]

        @Test("what was changed is found where it was", .timeLimit(.minutes(8)))
        func spoiled() async throws {
            let camera = try VideoCamera()
            let recording = try await camera.record("room", "--seconds", "2", "--size", "160x120")
            let other = try await camera.record("room", "--seconds", "2", "--size", "160x120", "--seed", "2")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, change) in Self.tampered.enumerated() {
                    // A few at a time, so that one is spoiled while others are judged.
                    if number >= 4 { try await group.next() }
                    group.addTask {
                        let outcome = try await camera.sent(
                            try await camera.spoil(recording, change.how, "--frame", "40", "--other", other))
                        let found = "\(outcome.chain) \(outcome.chainReason)"
                        #expect(
                            outcome.confidence == change.confidence && found == change.chain && outcome.breakAt == change.breakAt,
                            "\(change.how): \(outcome)")
                        #expect(outcome.credentials == "withheld" && !outcome.names.contains("c2pa.mp4"), "\(change.how)")
                    }
                }
                try await group.waitForAll()
            }
        }

        @Test("what only lost its end is verified up to its last checkpoint, once", .timeLimit(.minutes(8)))
        func partial() async throws {
            let camera = try VideoCamera()
            let recording = try await camera.record("room", "--seconds", "6", "--size", "160x120")
            let other = try await camera.record("room", "--seconds", "6", "--size", "160x120", "--seed", "2")
            let cut = try await camera.sent(try await camera.spoil(recording, "without-end"))
            #expect(cut.confidence == "medium" && cut.chain == "inconclusive" && cut.chainReason == "partial")
            #expect(cut.verifiedMilliseconds == "5000" && cut.reason == "partly_signed" && cut.credentials == "embedded")
            let tail = try await camera.sent(try await camera.spoil(other, "other-tail", "--other", recording))
            #expect(tail.confidence == "medium" && tail.chainReason == "partial" && tail.verifiedMilliseconds == "5000")
            let head = try await camera.sent(
                try await camera.spoil(recording, "other-head", "--other", other, "--frame", "40"))
            #expect(head.confidence == "suspicious" && head.chain == "fail" && head.chainReason == "chain_mismatch")
            // The same checkpoint vouches for the time of the one, and not of the other.
            let client = try TestClient.current()
            #expect(try await client.show(cut.id).data["metadata_signed"] as? Bool == true)
            #expect(try await client.show(head.id).data["metadata_signed"] as? Bool == false)
            // Its checkpoint's counter is used: nor may a recording come again without its end.
            let replay = try await camera.sent(try await camera.spoil(recording, "moov-changed", "--drop-end"))
            #expect(replay.confidence == "suspicious" && replay.hardware == "fail counter_replay")
            let stranger = try await camera.sent(try await camera.spoil(recording, "checkpoint-other-key", "--drop-end"))
            #expect(stranger.confidence == "suspicious" && stranger.hardware == "fail checkpoint_invalid")
        }

        @Test("of a video in privacy mode only hash, numbers and what is shared leave the device; it is HIGH all the same, once")
        func hashOnly() async throws {
            let camera = try VideoCamera()
            let recording = try await camera.record("room", "--seconds", "3", "--size", "160x120", "--location", "45.764043,4.835659")
            let told = try await camera.sent(recording, "--hash-only", "--share-time", "day")
            #expect(told.confidence == "high" && told.verdict == "real" && told.chain == "unavailable")
            #expect(told.chainReason == "media_not_stored" && told.credentials == "withheld" && told.names == ["metadata.json", "og.jpg"])
            let client = try TestClient.current()
            let view = try await client.show(told.id).data
            #expect(view["media_type"] == nil && view["duration_ms"] as? Int == 3000 && view["poster_url"] is NSNull)
            #expect((view["captured_at"] as? String)?.count == 10)
            let hash = ContentDigest(of: Array(try Data(contentsOf: URL(fileURLWithPath: recording + "/video.mp4"))))
            let found = try await client.send("GET", "/api/v1/verify-hash/\(hash.hex)")
            #expect(found.status == 200 && found.text.contains(told.id))
            let page = try await client.send("GET", "/verify/\(told.id)", headers: [("Accept-Language", "en")]).text
            #expect(page.contains("90 frames, 3") && page.contains("as reported by the device") && !page.contains("<video"))
            // The recording's own assertions are not used up: it may still be sent whole.
            let whole = try await camera.sent(recording)
            #expect(whole.confidence == "high")
            // What the device measured are, bit for bit, the numbers that the server measures.
            let numbers = [
                "depth_consistency", "motion_coherence", "scene_stability", "edge_alignment", "real_share", "flat_share", "relief",
                "min_depth", "max_depth", "coverage", "keyframes",
            ]
            let both = try await camera.stack.sql(
                "SELECT concat_ws(' ', \(numbers.map { "evidence #>> '{depth_analysis,\($0)}'" }.joined(separator: ", "))) FROM captures "
                    + "WHERE id IN ('\(told.id)', '\(whole.id)')")
            #expect(both.count == 2 && both.first == both.last && both.first?.split(separator: " ").count == numbers.count, "\(both)")
        }

        @Test("the original layout, which nobody can compute again, is reported only and never HIGH")
        func original() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            var video = try RecordedVideo(of: &device)
            let final = ContentDigest(of: [7])
            let hash = Base64.encode(final.bytes)
            video.chainBytes = Array(#"{"frame_hashes":["\#(hash)"],"checkpoints":[],"final_hash":"\#(hash)"}"#.utf8)
            video.metadata = Array(
                #"{"type":"video","started_at":"\#(Date().formatted(.iso8601))","device_model":"iPhone 15 Pro"}"#.utf8)
            video.assertion = try device.assertion(clientDataHash: final.bytes)
            let answer = try await client.submit(&device, video.form, to: TestClient.videos)
            #expect(answer.status == 201, "\(answer.text)")
            let capture = try await client.settled(try #require(answer.data["capture_id"] as? String))
            #expect(capture.evidence("hash_chain.reason") == "reported_only")
            #expect(capture.evidence("hardware_attestation.reason") == "media_not_bound")
            #expect(["low", "medium"].contains(capture.data["confidence_level"] as? String))
        }
    }
}

private struct Tampering: Sendable {
    let how: String
    let confidence: String
    let chain: String
    let breakAt: String

    init(_ how: String, _ confidence: String, _ chain: String, breakAt: String) {
        (self.how, self.confidence, self.chain, self.breakAt) = (how, confidence, chain, breakAt)
    }
}
