import CaptureProtocol
import Foundation
import Synchronization
import Testing

@testable import CaptureKit

@Suite("A recording whose process is killed while it becomes a capture")
struct VideoKillTests {
    static let points = ["store.recording-sealed", "store.recording-signed", "store.recording-row", "store.chain-replaced"]

    @Test("is one capture afterwards, whole, and leaves nothing over", arguments: points.prefix(3) + ["seal.renamed", "seal.written"])
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

    @Test("waits for space, while everything else is sent, and is there in the end")
    func noSpace() async throws {
        let folder = try ScratchFolder()
        try await Self.queue(in: folder.path, .none).recordCutOff(pictures: 40)
        let full = try await Self.queue(in: folder.path, .none, layer: FilesWithoutSpaceForVideos())
        let photo = try await full.add(SampleContent())
        try await full.run(untilEmpty: true)
        #expect(try await full.store.captures().map(\.id) == [photo.id])
        #expect(try await full.capture(photo.id).state == .uploaded)
        try await full.store.close()

        let queue = try await Self.queue(in: folder.path, .none)
        try await queue.run(untilEmpty: true)
        let captures = try await queue.store.captures()
        #expect(captures.map(\.kind) == [.photo, .video] && captures.allSatisfy { $0.state == .uploaded })
        try await queue.store.expectWhole("when there is space")
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

    private static func queue(
        in folder: String, _ failPoints: FailPoints, layer: any FileLayer = PosixFiles()
    ) async throws -> CaptureQueue {
        let store = try await CaptureStore.open(
            in: folder + "/store", secrets: FolderSecureStore(folder: folder + "/keychain"), layer: layer, failPoints: failPoints)
        return CaptureQueue(
            store: store, signing: ScriptedSigning(), transport: ScriptedServer { QueueRig.accepted(ContentDigest(of: $0.body)) },
            clock: JumpingClock())
    }
}

/// The files of a volume that is full when a video is written.
private struct FilesWithoutSpaceForVideos: FileLayer {
    private let files = PosixFiles()

    func create(_ path: String) throws(FileError) -> any WritableFile {
        guard !path.contains(".video") else { throw .noSpace }
        return try files.create(path)
    }

    func createFolder(_ path: String) throws(FileError) { try files.createFolder(path) }
    func open(_ path: String) throws(FileError) -> any ReadableFile { try files.open(path) }
    func rename(_ path: String, to target: String) throws(FileError) { try files.rename(path, to: target) }
    func link(_ path: String, to target: String) throws(FileError) -> Bool { try files.link(path, to: target) }
    func remove(_ path: String) throws(FileError) { try files.remove(path) }
    func names(in folder: String) throws(FileError) -> [String] { try files.names(in: folder) }
    func syncFolder(_ path: String) throws(FileError) { try files.syncFolder(path) }
}
