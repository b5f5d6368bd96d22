import CaptureProtocol
import Foundation
import Testing

@testable import CaptureKit

@Suite("Uploads that the system makes")
struct BackgroundUploadTests {
    private let rig: QueueRig

    init() throws { rig = try QueueRig() }

    @Test("keep a capture from being deleted until its task has ended")
    func notDeleted() async throws {
        let queue = try await rig.queue()
        let id = try await queue.add(SampleContent()).id
        let upload = try await queue.lendForBackground(id)
        let files = try rig.store.content()
        await #expect(throws: StoreError.isBeingSent) { try await queue.delete(id) }
        #expect(try rig.store.content() == files)
        // Whether its person deletes it in this process or another.
        let other = try await rig.store.open()
        await #expect(throws: StoreError.isBeingSent) { try await other.delete(id) }
        try await queue.endBackgroundUpload(upload, nil)
        try await other.delete(id)
        #expect(try rig.store.content().isEmpty)
    }

    @Test("keep a capture no longer when a sender starts, although nobody was told of their end")
    func neverEnded() async throws {
        let queue = try await rig.queue()
        let id = try await queue.add(SampleContent()).id
        let upload = try await queue.lendForBackground(id)
        // Refused by the server meanwhile, so that the sender leaves it alone.
        try await queue.store.database.update(id) { row in row.state = .failed }
        await #expect(throws: StoreError.isBeingSent) { try await queue.delete(id) }
        try await rig.queue().run(untilEmpty: true)
        try await queue.delete(id)
        #expect(await rig.uploads.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: upload.bodyPath))
    }

    @Test("are not made of a capture that was deleted a moment before")
    func deletedBefore() async throws {
        let store = try await rig.store.open()
        let capture = try await store.addSample()
        let body = try store.upload(of: capture).body
        try await store.delete(capture.id)
        await #expect(throws: StoreError.unknownCapture(capture.id)) { try await store.lend(body, as: "a.body", of: capture.id) }
        try await store.expectNoLoans("of what is not there")
    }

    @Test("leave a capture to be sent again if their answer is not recorded to its end")
    func answerCutOff() async throws {
        let queue = try await queue(signing: ReplacingSigning(rig.signing) { throw CancellationError() })
        let id = try await queue.add(SampleContent()).id
        let upload = try await queue.lendForBackground(id)
        await #expect(throws: CancellationError.self) {
            try await queue.endBackgroundUpload(upload, .success(.error(401, "DEVICE_NOT_REGISTERED")))
        }
        #expect(try await queue.capture(id).state == .pending)
        // The remedy was not used: it is still there for the next attempt.
        await rig.server.script(QueueRig.uploads, .answer(.error(401, "DEVICE_NOT_REGISTERED")))
        await #expect(throws: CancellationError.self) { try await queue.attempt(id) }
        let capture = try await queue.capture(id)
        #expect(capture.state == .pending && capture.failures == 0)
    }

    @Test("are sent again while a sender runs, although the process that recorded their answer ended", .timeLimit(.minutes(1)))
    func processEnded() async throws {
        let other = try await rig.store.open()
        let queue = try await rig.queue(
            InterruptedServer(server: rig.server) {
                // What a process leaves that ends while it records an answer.
                for capture in try await other.captures() where capture.state == .pending {
                    try await other.database.update(capture.id) { row in row.state = .uploading }
                }
            })
        for seed in 1...2 { try await queue.add(SampleContent(depth: .noise(1000, seed: UInt64(seed)))) }
        try await queue.run(untilEmpty: true)
        #expect(try await queue.store.captures().map(\.state) == [.uploaded, .uploaded])
        #expect(await rig.uploads.count == 2)
    }

    @Test("are left alone by a sender while their answer is recorded")
    func beingRecorded() async throws {
        let sender = try await rig.store.open()
        let queue = try await queue(
            signing: ReplacingSigning(rig.signing) {
                let wereReset = try await sender.resetUploading()
                let states = try await sender.captures().map(\.state)
                #expect(!wereReset && states == [.uploading])
            })
        let id = try await queue.add(SampleContent()).id
        let upload = try await queue.lendForBackground(id)
        try await queue.endBackgroundUpload(upload, .success(.error(401, "DEVICE_NOT_REGISTERED")))
        #expect(await rig.signing.replaced.count == 1)
        #expect(try await queue.capture(id).state == .assertionPending)
        let wereReset = try await sender.resetUploading()
        #expect(wereReset, "nobody records one any more")
    }

    @Test("that are over say nothing of a capture that another device has signed since")
    func otherDevice() async throws {
        let queue = try await rig.queue()
        let id = try await queue.add(SampleContent()).id
        let upload = try await queue.lendForBackground(id)
        try await queue.store.returnLentBodies()
        await rig.server.script(QueueRig.uploads, .answer(.error(401, "DEVICE_NOT_REGISTERED")))
        try await queue.attempt(id)
        try await queue.makeAssertion(id)
        let capture = try await queue.capture(id)
        #expect(capture.state == .pending)
        try await queue.endBackgroundUpload(upload, .success(QueueRig.accepted(ContentDigest(of: [1]))))
        #expect(try await queue.capture(id) == capture)
    }

    @Test("that the system could not make never count")
    func systemErrors() async throws {
        struct SystemError: Error {}
        let queue = try await rig.queue()
        let id = try await queue.add(SampleContent()).id
        for _ in 0...UploadReaction.maximumCounted {
            try await queue.endBackgroundUpload(try await queue.lendForBackground(id), .failure(SystemError()))
        }
        let capture = try await queue.capture(id)
        #expect(capture.state == .pending && capture.failures == 0 && capture.facts.failure?.code == "unreachable")
    }

    @Test("do not set the clock by an answer that may be hours old, and leave that to the next attempt")
    func oldAnswer() async throws {
        let queue = try await rig.queue()
        let id = try await queue.add(SampleContent()).id
        let upload = try await queue.lendForBackground(id)
        try await rig.clock.sleep(for: .seconds(3 * 3600))
        let expired = HTTPResponse.error(401, "TIMESTAMP_EXPIRED", headers: ["date": "Fri, 15 Jan 2027 08:06:00 GMT"])
        try await queue.endBackgroundUpload(upload, .success(expired))
        let capture = try await queue.capture(id)
        #expect(capture.state == .pending && capture.failures == 0)
        // Six minutes ahead of the device.
        await rig.server.script(
            QueueRig.uploads, .answer(.error(401, "TIMESTAMP_EXPIRED", headers: ["date": "Fri, 15 Jan 2027 11:06:00 GMT"])))
        try await queue.attempt(id)
        #expect(await rig.signing.times.map { $0.timeIntervalSince1970 - 1_800_000_000 } == [0, 10_800, 11_160])
        #expect(try await queue.capture(id).state == .uploaded)
    }

    private func queue(signing: any CaptureSigning) async throws -> CaptureQueue {
        CaptureQueue(store: try await rig.store.open(), signing: signing, transport: rig.server, clock: rig.clock)
    }
}

/// Does something before another device takes the place of one that the server does not know.
private struct ReplacingSigning: CaptureSigning {
    let signing: ScriptedSigning
    let before: @Sendable () async throws -> Void

    init(_ signing: ScriptedSigning, before: @escaping @Sendable () async throws -> Void) {
        self.signing = signing
        self.before = before
    }

    func currentDevice(replacing refused: DeviceID?) async throws -> DeviceID {
        if refused != nil { try await before() }
        return try await signing.currentDevice(replacing: refused)
    }

    func assertion(over clientDataHash: ContentDigest) async -> AssertionAttempt { await signing.assertion(over: clientDataHash) }
    func signer(for device: DeviceID) async throws -> (any RequestSigner)? { try await signing.signer(for: device) }
    func forgetDevices(except needed: Set<DeviceID>) async throws { try await signing.forgetDevices(except: needed) }
}
