import Foundation
import TestSupport
import Testing

extension SystemTests {
    /// Recordings of rendered scenes, through `rial video`, against the real services.
    @Suite("Videos")
    struct Videos {
        @Test("a room panned, and a room walked through in HEVC, become HIGH, signed, with what pages need of them")
        func real() async throws {
            let camera = try Camera()
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
            let camera = try Camera()
            let screen = try await camera.sent(try await camera.record("screen", "--seconds", "3", "--size", "320x240"))
            #expect(screen.confidence == "medium" && screen.verdict == "flat" && screen.chain == "pass")
            let frozen = try await camera.sent(
                try await camera.record("room", "--seconds", "3", "--size", "320x240", "--frozen-depth"))
            #expect(frozen.confidence == "medium" && frozen.verdict == "undecided" && frozen.reason == "frozen_depth")
        }

        @Test("what was changed is found where it was; what only lost its end is verified up to its checkpoint")
        func spoiled() async throws {
            let camera = try Camera()
            let recording = try await camera.record("room", "--seconds", "6", "--size", "160x120")
            // Counters are used once: what was cut off goes first, the whole recording is then a replay.
            let cut = try await camera.sent(try await camera.spoil(recording, "without-end"))
            #expect(cut.confidence == "medium" && cut.chain == "inconclusive" && cut.chainReason == "partial")
            #expect(cut.verifiedMilliseconds == "5000" && cut.reason == "partly_signed")
            let dropped = try await camera.sent(try await camera.spoil(recording, "dropped", "--frame", "40"))
            #expect(dropped.confidence == "suspicious" && dropped.chain == "fail" && dropped.breakAt == "40")
            #expect(dropped.credentials == "withheld" && dropped.names.contains("public.mp4") && !dropped.names.contains("c2pa.mp4"))
        }
    }
}

/// A simulated phone that records, and what became of its recordings.
private struct Camera {
    struct Outcome {
        let confidence: String
        let verdict: String
        let reason: String
        let chain: String
        let chainReason: String
        let verifiedMilliseconds: String
        let breakAt: String
        let credentials: String
        let names: [String]
    }

    let stack: LocalStack
    private let folder: URL

    init() throws {
        stack = try #require(LocalStack.current)
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("rial-camera-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func rial(_ arguments: [String]) async throws -> String {
        try await LocalStack.run(
            Phone.program, arguments, stack.addresses.merging(["RIAL_DEVICE_STATE": folder.path + "/device.json"]) { _, new in new })
    }

    /// - Returns: the folder of the recording.
    func record(_ scene: String, _ more: String...) async throws -> String {
        let out = folder.path + "/" + UUID().uuidString
        _ = try await rial(["video", "record", "--scene", scene, "--out", out] + more)
        return out
    }

    func spoil(_ recording: String, _ how: String, _ more: String...) async throws -> String {
        let out = folder.path + "/" + UUID().uuidString
        _ = try await rial(["video", "spoil", recording, "--out", out, "--how", how] + more)
        return out
    }

    /// Sends a recording and waits for its evidence.
    func sent(_ recording: String) async throws -> Outcome {
        let output = try await rial(["video", "send", recording])
        let id = try #require(output.split(separator: "\n").first { $0.hasPrefix("capture ") }).dropFirst("capture ".count)
        try await eventually("the video \(id) is complete") {
            try await stack.sql("SELECT status FROM captures WHERE id = '\(id)'") == ["complete"]
        }
        let row = try await stack.sql(
            """
            SELECT concat_ws('|', confidence_level, coalesce(evidence #>> '{depth_analysis,verdict}', ''),
                coalesce(evidence #>> '{depth_analysis,reason}', ''), evidence #>> '{hash_chain,status}',
                coalesce(evidence #>> '{hash_chain,reason}', ''), evidence #>> '{hash_chain,verified_duration_ms}',
                coalesce(evidence #>> '{hash_chain,break_at_frame}', ''), evidence #>> '{content_credentials,status}')
            FROM captures WHERE id = '\(id)'
            """)
        let fields = try #require(row.first).split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        try #require(fields.count == 8)
        return Outcome(
            confidence: fields[0], verdict: fields[1], reason: fields[2], chain: fields[3], chainReason: fields[4],
            verifiedMilliseconds: fields[5], breakAt: fields[6], credentials: fields[7],
            names: try await stack.sql("SELECT name FROM media_objects WHERE capture_id = '\(id)' ORDER BY name COLLATE \"C\""))
    }
}
