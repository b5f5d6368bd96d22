import Foundation
import Models
import TestSupport
import Testing

extension SystemTests {
    @Suite("Faults while a video is processed")
    struct VideoFaults {
        @Test("announcements and findings that come again change nothing of a complete video", .timeLimit(.minutes(5)))
        func redelivered() async throws {
            let stack = try LocalStack.required()
            var device = try await TestClient.current().device()
            let recording = try SignedRecording(try await VideoCamera.shortRecording(), by: &device)
            let id = try await recording.accepted().value.id
            try await stack.expectWhole(video: id, of: device, "before")
            let state = try await stack.finalState(of: id)
            let redelivery = try Redelivery(stack)
            try await redelivery.awaitHandled(
                redelivery.replay([.videoReceived, .attestationAppraised, .depthAnalyzed, .mediaSynced], key: id))
            #expect(try await stack.finalState(of: id) == state)
            try await stack.expectWhole(video: id, of: device, "afterwards")
            try await Self.expectNothingOpen(in: stack)
        }

        @Test(
            "a video whose decoder crashes is undecodable, complete all the same, and leaves nothing behind; killed, it decodes again",
            .timeLimit(.minutes(5)))
        func decoderDies() async throws {
            let stack = try LocalStack.required()
            let camera = try VideoCamera()
            let recording = try await camera.record("room", "--seconds", "3", "--size", "320x240")
            let service = try stack.processID(of: "depth-analyzer")
            let killer = Task { try await Self.endDecoder(of: service, SIGSEGV) }
            let outcome = try await camera.sent(recording)
            #expect(try await killer.value)
            #expect(outcome.verdict == "undecided" && outcome.reason == "video_undecodable")
            #expect(outcome.confidence == "medium" && outcome.chain == "pass" && outcome.credentials == "embedded")
            #expect(!outcome.names.contains("poster.jpg") && outcome.names.contains("c2pa.mp4"))
            #expect(try stack.processID(of: "depth-analyzer") == service, "the service lives on")
            try await Self.expectNothingOpen(in: stack)
            let other = try await camera.record("room", "--seconds", "3", "--size", "320x240", "--seed", "5")
            // As the kernel does when memory runs out.
            let stranger = Task { try await Self.endDecoder(of: service, SIGKILL) }
            let next = try await camera.sent(other)
            #expect(try await stranger.value)
            #expect(next.reason != "video_undecodable" && next.names.contains("poster.jpg"), "the next one is decoded")
        }

        @Test(
            "a video is whole after the store was away while it was processed", .timeLimit(.minutes(8)),
            .enabled(if: FaultTests.isFull, "in the long form (RIAL_TEST_FAULTS=full)"))
        func storeAway() async throws {
            let stack = try LocalStack.required()
            var device = try await TestClient.current().device()
            let recording = try SignedRecording(try await VideoCamera.shortRecording(), by: &device)
            let id = try await recording.accepted().value.id
            try await stack.control("stop", "s3")
            do {
                try await eventually("depth-analyzer sees that the store is away") {
                    try await stack.admin("depth-analyzer", "/readyz").text.contains("\"storage\":\"unreachable\"")
                }
            } catch {
                try await stack.control("start", "s3")
                throw error
            }
            try await stack.control("start", "s3")
            try await stack.expectWhole(video: id, of: device, "the store is back")
            try await Self.expectNothingOpen(in: stack)
        }

        /// Ends the service's first decoder, as soon as there is one.
        /// - Returns: whether there was one within a minute.
        private static func endDecoder(of service: Int32, _ signal: Int32) async throws -> Bool {
            let deadline = ContinuousClock.now + .seconds(60)
            while ContinuousClock.now < deadline {
                for thread in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(service)/task")) ?? [] {
                    let children = try? String(contentsOfFile: "/proc/\(service)/task/\(thread)/children", encoding: .utf8)
                    for child in (children ?? "").split(separator: " ").compactMap({ Int32($0) }) {
                        let name = try? String(contentsOfFile: "/proc/\(child)/comm", encoding: .utf8)
                        if name?.hasPrefix("video-decoder") == true { return kill(child, signal) == 0 }
                    }
                }
                try await Task.sleep(for: .milliseconds(2))
            }
            return false
        }

        /// Expects that no service holds a file without a name, as those of videos are while they are processed.
        private static func expectNothingOpen(in stack: LocalStack) async throws {
            for service in ["depth-analyzer", "attestation-verifier", "evidence-assembler"] {
                let folder = "/proc/\(try stack.processID(of: service))/fd"
                try await eventually("\(service) has closed the files of videos") {
                    try FileManager.default.contentsOfDirectory(atPath: folder).allSatisfy { name in
                        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
                        return target.map { !($0.contains("/rial-") && $0.hasSuffix("(deleted)")) } ?? true
                    }
                }
            }
        }
    }
}
