import CaptureProtocol
import Foundation
import Testing

@testable import CaptureKit

@Suite("A recording in privacy mode whose process is killed")
struct PrivateVideoKillTests {
    /// Ends its process with a picture.
    private actor DeadlyCamera: FrameSource {
        private let source: NoiseCamera
        private var left: Int

        init(pictures: Int) {
            source = NoiseCamera(pictures: pictures + 1, bytes: 300)
            left = pictures
        }

        func next() async throws -> CameraInput<[UInt8], [UInt8]>? {
            if left == 0 { kill(getpid(), SIGKILL) }
            left -= 1
            return try await source.next()
        }
    }

    private static func queue(
        in folder: String, _ server: ScriptedServer = ScriptedServer { QueueRig.accepted(ContentDigest(of: $0.body)) },
        _ failPoints: FailPoints = .none
    ) async throws -> CaptureQueue {
        let store = try await CaptureStore.open(
            in: folder + "/store", secrets: FolderSecureStore(folder: folder + "/keychain"), failPoints: failPoints)
        return CaptureQueue(store: store, signing: ScriptedSigning(), transport: server, clock: JumpingClock())
    }

    @Test(
        "while it becomes a capture is one afterwards, with its measurements, and nothing of the video is ever sent",
        arguments: ["seal.written", "seal.renamed", "store.recording-sealed", "store.recording-signed", "store.recording-row"])
    func assembling(point: String) async throws {
        let folder = try ScratchFolder()
        await #expect(processExitsWith: .signal(SIGKILL)) { [folder = folder.path as String, point = point as String] in
            let server = ScriptedServer { QueueRig.accepted(ContentDigest(of: $0.body)) }
            let queue = try await Self.queue(in: folder, server, FailPoints { if $0 == point { kill(getpid(), SIGKILL) } })
            try await queue.record(NoiseCamera(pictures: 160, bytes: 300), privacy: PrivateVideoTests.on)
        }
        let server = ScriptedServer { QueueRig.accepted(ContentDigest(of: $0.body)) }
        let queue = try await Self.queue(in: folder.path, server)
        try await queue.recoverRecordings()
        let captures = try await queue.store.captures()
        #expect(captures.map(\.kind) == [.hashOnlyVideo] && captures.first?.facts.video?.isPartial == false, "it had ended")
        try await queue.store.expectWhole("after the kill")
        try await Self.expectSent(queue, server, frames: 160, keyframes: 54)
    }

    @Test(
        "while it goes on is told of as far as it came, without measurements, by the settings with which it began", arguments: [1, 50, 170])
    func recording(pictures: Int) async throws {
        let folder = try ScratchFolder()
        await #expect(processExitsWith: .signal(SIGKILL)) { [folder = folder.path as String, pictures = pictures as Int] in
            let queue = try await Self.queue(in: folder)
            try await queue.record(DeadlyCamera(pictures: pictures), privacy: PrivateVideoTests.on)
        }
        let server = ScriptedServer { QueueRig.accepted(ContentDigest(of: $0.body)) }
        let queue = try await Self.queue(in: folder.path, server)
        try await Self.expectSent(queue, server, frames: pictures, keyframes: nil)
        try await queue.store.expectWhole("after it was sent")
    }

    private static func expectSent(_ queue: CaptureQueue, _ server: ScriptedServer, frames: Int, keyframes: Int?) async throws {
        try await queue.run(untilEmpty: true)
        let capture = try #require(try await queue.store.captures().first)
        #expect(capture.state == .uploaded && capture.facts.flags == PrivateVideoTests.flags)
        let requests = await server.requests.filter { $0.method == "POST" }
        #expect(requests.map(\.target) == [CaptureUpload.path])
        let payload = try HashOnlyPayload.parse(try HashOnlyBody.parse(try #require(requests.first).body).payload)
        let video = try #require(payload.video)
        #expect(payload.flags == PrivateVideoTests.flags)
        #expect(video.frameCount == frames && video.depth?.keyframes == keyframes)
        #expect(payload.mediaHash == ContentDigest(of: try await queue.content(.original, of: capture.id)))
    }
}
