import CaptureProtocol
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

    @Test("keeps a video from being signed by another device, without an assertion for each attempt", .timeLimit(.minutes(1)))
    func otherDevice() async throws {
        let (rig, files) = (try QueueRig(), RefusingFiles())
        let store = try await CaptureStore.open(in: rig.store.path, secrets: rig.store.secrets, layer: files)
        let queue = CaptureQueue(store: store, signing: rig.signing, transport: rig.server, clock: rig.clock)
        let first = await rig.signing.current
        await rig.signing.script(assertions: [.made([1], by: first), .later(CaptureFailure(code: "assertion_failed", message: ""))])
        let id = try await queue.record(NoiseCamera(pictures: 170)).id
        #expect(try await queue.capture(id).facts.video?.signer == first)
        let next = try await rig.signing.currentDevice(replacing: first)
        files.refuse(true)
        let (end, asked) = (rig.clock.now + 600, await rig.signing.asked)
        var attempts = 0
        while rig.clock.now < end {
            try await queue.makeAssertion(id)
            attempts += 1
            let (capture, now) = (try await queue.capture(id), rig.clock.now)
            #expect(capture.state == .assertionPending && capture.facts.failure?.code == "not_readable")
            let time = try #require(await queue.schedule.nextTry(of: capture))
            try #require(time > now)
            try await rig.clock.sleep(for: .seconds(time.timeIntervalSince(now)))
        }
        #expect(attempts < 10)
        #expect(await rig.signing.asked == asked)
        files.refuse(false)
        try await queue.run(untilEmpty: true)
        let sent = try await queue.capture(id)
        #expect(sent.state == .uploaded && sent.device == next && sent.hasAssertion)
        #expect(await rig.signing.asked == asked + 1)
    }

    @Test("does not let a video fail that another device is to sign")
    func otherDeviceLater() async throws {
        let (rig, files) = (try QueueRig(), RefusingFiles())
        let store = try await CaptureStore.open(in: rig.store.path, secrets: rig.store.secrets, layer: files)
        let queue = CaptureQueue(store: store, signing: rig.signing, transport: rig.server, clock: rig.clock)
        let id = try await queue.record(NoiseCamera(pictures: 170)).id
        let first = await rig.signing.current
        let unknown = ScriptedServer.Step.answer(.error(401, "DEVICE_NOT_REGISTERED"))
        files.refuse(true)
        for attempt in 1...2 * UploadReaction.maximumCounted + 1 {
            await rig.server.script(VideoUpload.path, unknown)
            try await queue.attempt(id)
            let waiting = try await queue.capture(id)
            #expect(waiting.state == .pending && waiting.failures == 0, "attempt \(attempt)")
            #expect(waiting.device == first && waiting.facts.failure?.code == "not_readable")
        }
        files.refuse(false)
        await rig.server.script(VideoUpload.path, unknown)
        try await queue.run(untilEmpty: true)
        let (sent, next) = (try await queue.capture(id), await rig.signing.current)
        #expect(sent.state == .uploaded && sent.device == next && next != first)
    }

    @Test("shows a video whose checkpoints are lost as failed, without an assertion for it", arguments: [false, true])
    func lostCheckpoints(isSigned: Bool) async throws {
        let rig = try QueueRig()
        let store = try await rig.store.open()
        @Sendable func loseCheckpoints() async throws {
            for capture in try await store.captures() { try store.files.remove(SealedItem(capture.id, .hashChain)) }
        }
        let transport = InterruptedServer(server: rig.server, before: loseCheckpoints)
        let queue = CaptureQueue(store: store, signing: rig.signing, transport: transport, clock: rig.clock)
        let first = await rig.signing.current
        if !isSigned {
            await rig.signing.script(assertions: [.made([1], by: first), .later(CaptureFailure(code: "assertion_failed", message: ""))])
        }
        let id = try await queue.record(NoiseCamera(pictures: 170)).id
        let asked = await rig.signing.asked
        if isSigned {
            // They are lost while it is sent.
            await rig.server.script(VideoUpload.path, .answer(.error(401, "DEVICE_NOT_REGISTERED")))
            try await queue.attempt(id)
            #expect(await rig.server.requests(of: VideoUpload.path).count == 1)
        } else {
            _ = try await rig.signing.currentDevice(replacing: first)
            try await loseCheckpoints()
            try await queue.makeAssertion(id)
        }
        let lost = try await queue.capture(id)
        #expect(lost.state == (isSigned ? .failed : .assertionFailed) && lost.facts.failure?.code == "not_readable")
        #expect(await rig.signing.asked == asked)
    }
}

/// The files of the system, of which for a while no assertion and no hash chain is written and no payload read.
private final class RefusingFiles: FileLayer {
    private let files = PosixFiles()
    private let isRefusing = Mutex(false)

    func refuse(_ refuses: Bool) { isRefusing.withLock { $0 = refuses } }

    func create(_ path: String) throws(FileError) -> any WritableFile {
        if path.contains(".assertion") || path.contains(".hash-chain"), isRefusing.withLock({ $0 }) { throw .noSpace }
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
