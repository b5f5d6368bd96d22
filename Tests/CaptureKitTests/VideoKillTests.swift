import CaptureProtocol
import Foundation
import Synchronization
import Testing

@testable import CaptureKit

@Suite("A recording whose process is killed while it becomes a capture")
struct VideoKillTests {
    static let points = ["store.recording-sealed", "store.recording-row", "store.chain-replaced"]

    @Test("is one capture afterwards, whole, and leaves nothing over", arguments: points.prefix(2) + ["seal.renamed", "seal.written"])
    func killed(point: String) async throws {
        let folder = try ScratchFolder()
        await #expect(processExitsWith: .signal(SIGKILL)) { [folder = folder.path as String, point = point as String] in
            let queue = try await Self.queue(in: folder, FailPoints { if $0 == point { kill(getpid(), SIGKILL) } })
            try await queue.record(NoiseCamera(pictures: 160))
        }
        let queue = try await Self.queue(in: folder.path, .none)
        try await queue.recoverRecordings()
        let captures = try await queue.store.captures()
        #expect(captures.count == 1 && captures[0].facts.video?.frameCount == 160)
        #expect(captures[0].facts.video?.isPartial == false, "it had ended")
        try await queue.store.expectWhole("after the kill")
        try await queue.run(untilEmpty: true)
        #expect(try await queue.store.captures().allSatisfy { $0.state == .uploaded && $0.hasAssertion })
    }

    @Test("is sent with what it has, wherever it is killed while another device takes over")
    func otherDevice() async throws {
        let folder = try ScratchFolder()
        await #expect(processExitsWith: .signal(SIGKILL)) { [folder = folder.path as String] in
            let queue = try await Self.queue(in: folder, FailPoints { if $0 == "store.chain-replaced" { kill(getpid(), SIGKILL) } })
            let capture = try await queue.record(NoiseCamera(pictures: 160))
            try await queue.store.dropCheckpoints(of: capture)
        }
        let queue = try await Self.queue(in: folder.path, .none)
        let capture = try #require(try await queue.store.captures().first)
        #expect(capture.facts.video?.signer != nil, "the row does not know yet")
        try await queue.store.dropCheckpoints(of: capture)
        #expect(try await queue.capture(capture.id).facts.video?.signer == nil)
        try await queue.store.expectWhole("after the second attempt")
    }

    @Test("is not swept with what nobody wants when another process opens the store")
    func kept() async throws {
        let folder = try ScratchFolder()
        try await Self.queue(in: folder.path, .none).recordCutOff(pictures: 40)
        for _ in 1...2 { try await Self.queue(in: folder.path, .none).store.close() }
        let queue = try await Self.queue(in: folder.path, .none)
        #expect(try await queue.recoverRecordings().map(\.facts.video?.frameCount) == [40])
        #expect(try await queue.recoverRecordings() == [])
    }

    private static func queue(in folder: String, _ failPoints: FailPoints) async throws -> CaptureQueue {
        let store = try await CaptureStore.open(
            in: folder + "/store", secrets: FolderSecureStore(folder: folder + "/keychain"), failPoints: failPoints)
        return CaptureQueue(
            store: store, signing: ScriptedSigning(), transport: ScriptedServer { QueueRig.accepted(ContentDigest(of: $0.body)) },
            clock: JumpingClock())
    }
}
