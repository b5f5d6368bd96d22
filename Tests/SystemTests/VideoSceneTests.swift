import Foundation
import Testing

extension SystemTests {
    /// Every kind of scene and of interruption through the whole stack, at the lengths of SPEC §10 (make test-faults).
    @Suite("Scenes and interruptions of videos", .enabled(if: FaultTests.isFull, "in the long form (RIAL_TEST_FAULTS=full)"))
    struct VideoScenes {
        /// How a scene is recorded, and what its evidence says of it: confidence, verdict, and one of these reasons.
        struct Scene: Sendable, CustomTestStringConvertible {
            let scene: String
            let options: [String]
            let confidence: String
            let verdict: String
            let reasons: [String]

            init(_ scene: String, _ options: [String] = [], is verdict: String, _ confidence: String, reasons: [String] = [""]) {
                (self.scene, self.options, self.verdict, self.confidence, self.reasons) = (scene, options, verdict, confidence, reasons)
            }

            var testDescription: String { ([scene] + options).joined(separator: " ") }
        }

        private static let scenes = [
            Scene("room", is: "real", "high"),
            Scene("room", ["--b-frames", "--no-sound"], is: "real", "high"),
            Scene("room", ["--codec", "hevc", "--mov"], is: "real", "high"),
            Scene("room", ["--codec", "hevc", "--mov", "--b-frames", "--no-sound"], is: "real", "high"),
            Scene("walk", is: "real", "high"),
            Scene("walk", ["--b-frames", "--no-sound"], is: "real", "high"),
            Scene("walk", ["--codec", "hevc", "--mov"], is: "real", "high"),
            Scene("walk", ["--codec", "hevc", "--mov", "--b-frames", "--no-sound"], is: "real", "high"),
            Scene("still", is: "real", "high"),
            Scene("screen", is: "flat", "medium", reasons: ["flat_surface"]),
            Scene("poster", is: "flat", "medium", reasons: ["flat_surface"]),
            Scene(
                "room", ["--frozen-depth"], is: "undecided", "medium", reasons: ["frozen_depth", "depth_not_of_video", "unstable_depth"]),
            Scene(
                "walk", ["--frozen-depth"], is: "undecided", "medium", reasons: ["frozen_depth", "depth_not_of_video", "unstable_depth"]),
            // Depth of another recording, signed by the device like its own.
            Scene("room", ["--depth-seed", "2"], is: "undecided", "medium", reasons: ["depth_not_of_video", "unstable_depth"]),
            Scene("walk", ["--depth-seed", "3"], is: "undecided", "medium", reasons: ["depth_not_of_video", "unstable_depth"]),
        ]

        @Test("are what they are, in every codec, container and order", .timeLimit(.minutes(8)), arguments: scenes)
        private func assessed(_ scene: Scene) async throws {
            let camera = try VideoCamera()
            let recording = try await camera.record(scene.scene, ["--seconds", "4", "--size", "320x240"] + scene.options)
            let found = try await camera.sent(recording)
            #expect(found.verdict == scene.verdict && found.confidence == scene.confidence, "\(found)")
            #expect(scene.reasons.contains(found.reason), "\(found)")
            #expect(found.chain == "pass" && found.hardware == "pass" && found.credentials == "embedded", "\(found)")
        }

        /// How a recording of 12 s that has lost its end was recorded, and how much of it stays verified.
        private static let interruptions: [(options: [String], milliseconds: String)] = [
            (["--kill-at", "12"], "10000"),
            (["--kill-at", "12", "--fail-checkpoint", "1"], "5000"),
        ]

        @Test(
            "killed after 12 s, 10 s are verified, or 5 s if the second checkpoint is unsigned", .timeLimit(.minutes(8)),
            arguments: interruptions)
        func interrupted(options: [String], milliseconds: String) async throws {
            let camera = try VideoCamera()
            let found = try await camera.sent(try await camera.record("room", ["--seconds", "15", "--size", "160x120"] + options))
            #expect(found.confidence == "medium" && found.chain == "inconclusive" && found.chainReason == "partial", "\(found)")
            #expect(found.verifiedMilliseconds == milliseconds && found.credentials == "embedded", "\(found)")
            let page = try await TestClient.current().send("GET", "/verify/\(found.id)", headers: [("Accept-Language", "en")]).text
            #expect(page.contains("Verified: \(milliseconds.dropLast(3)) s of 1"), "the page says how much is verified")
        }

        @Test("with another tail 10 s stay verified, with another head nothing is", .timeLimit(.minutes(8)))
        func exchanged() async throws {
            let camera = try VideoCamera()
            let recording = try await camera.record("room", "--seconds", "12", "--size", "160x120")
            let other = try await camera.record("room", "--seconds", "12", "--size", "160x120", "--seed", "2")
            let tail = try await camera.sent(try await camera.spoil(recording, "other-tail", "--other", other))
            #expect(tail.confidence == "medium" && tail.chainReason == "partial" && tail.verifiedMilliseconds == "10000", "\(tail)")
            let head = try await camera.sent(try await camera.spoil(other, "other-head", "--other", recording, "--frame", "40"))
            // The forger computes a chain that fits the file: only the checkpoints' signatures are over another one.
            #expect(head.confidence == "suspicious" && head.chainReason == "chain_mismatch" && head.breakAt == "", "\(head)")
        }
    }
}
