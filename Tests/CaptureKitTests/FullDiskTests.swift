import Foundation
import Synchronization
import Testing

@testable import CaptureKit

@Suite("A disk that is full, or fails")
struct FullDiskTests {
    @Test(
        "keeps a capture waiting for its assertion, less and less often tried, and nothing else from being sent", .timeLimit(.minutes(1)),
        arguments: [false, true])
    func assertion(isPrivate: Bool) async throws {
        let (rig, files) = (try QueueRig(), RefusingFiles())
        let store = try await CaptureStore.open(in: rig.store.path, secrets: rig.store.secrets, layer: files)
        let queue = CaptureQueue(store: store, signing: rig.signing, transport: rig.server, clock: rig.clock)
        await rig.signing.script(assertions: [.later(CaptureFailure(code: "assertion_failed", message: "")), .unsupported])
        let first = try await isPrivate ? queue.add(PrivateFixture.capture()).id : queue.add(SampleContent()).id
        let second = try await queue.add(SampleContent()).id
        files.refuse(true)
        for delay in [1.0, 2, 4, 8, 16, 300, 300] {
            try await queue.makeAssertion(first)
            let (captures, now) = (try await store.captures(), rig.clock.now)
            #expect(await queue.schedule.next(captures, at: now) == .send(second))
            let next = try #require(await queue.schedule.nextTry(of: captures[0]))
            #expect((0.79 * delay...1.21 * delay).contains(next.timeIntervalSince(now)))
        }
        let sending = Task { try await queue.run() }
        for try await snapshot in queue.snapshots where snapshot.captures.last?.capture.state == .uploaded { break }
        sending.cancel()
        _ = await sending.result
        let waiting = try await queue.capture(first)
        #expect(waiting.state == .assertionPending && waiting.facts.failure?.code == "not_readable" && waiting.assertionAttempts == 0)
        files.refuse(false)
        try await queue.run(untilEmpty: true)
        #expect(try await queue.capture(first).state == .uploaded)
    }
}

/// The files of the system, of which for a while no assertion is written and no payload read.
private final class RefusingFiles: FileLayer {
    private let files = PosixFiles()
    private let isRefusing = Mutex(false)

    func refuse(_ refuses: Bool) { isRefusing.withLock { $0 = refuses } }

    func create(_ path: String) throws(FileError) -> any WritableFile {
        if path.contains(".assertion"), isRefusing.withLock({ $0 }) { throw .noSpace }
        return try files.create(path)
    }

    func open(_ path: String) throws(FileError) -> any ReadableFile {
        if path.hasSuffix(".payload"), isRefusing.withLock({ $0 }) { throw .failed(code: 5) }
        return try files.open(path)
    }

    func createFolder(_ path: String) throws(FileError) { try files.createFolder(path) }
    func rename(_ path: String, to target: String) throws(FileError) { try files.rename(path, to: target) }
    func link(_ path: String, to target: String) throws(FileError) -> Bool { try files.link(path, to: target) }
    func remove(_ path: String) throws(FileError) { try files.remove(path) }
    func names(in folder: String) throws(FileError) -> [String] { try files.names(in: folder) }
    func syncFolder(_ path: String) throws(FileError) { try files.syncFolder(path) }
}
