import CaptureKit
import CaptureProtocol
import Foundation
import Testing

/// With what an app sees of the library alone.
@Suite("Uploads that end while the app does not run")
struct RelaunchedUploadTests {
    private struct Lent {
        let id: LocalID
        let name: String
        let digest: ContentDigest
        var answer: HTTPResponse { QueueRig.accepted(digest) }
    }

    private let rig: QueueRig

    init() throws { rig = try QueueRig() }

    /// Lends the body of a capture, as a process that is gone afterwards.
    private func lend() async throws -> Lent {
        let queue = try await rig.queue()
        let id = try await queue.add(SampleContent()).id
        let upload = try await queue.lendForBackground(id)
        let body = try #require(FileManager.default.contents(atPath: upload.bodyPath))
        return Lent(id: id, name: upload.name, digest: ContentDigest(of: body))
    }

    /// Takes back what is lent, as a process that is ended before it sends anything itself.
    private func takeBack() async throws {
        let queue = try await rig.queue(InterruptedServer(server: rig.server) { throw CancellationError() })
        await #expect(throws: CancellationError.self) { try await queue.run(untilEmpty: true) }
    }

    @Test("are recorded once by the app that is started anew, whether or not a run has taken the body back", arguments: [false, true])
    func accepted(isTakenBack: Bool) async throws {
        let lent = try await lend()
        if isTakenBack { try await takeBack() }
        let queue = try await rig.queue()
        for _ in 1...2 {
            try await queue.endBackgroundUpload(named: lent.name, .success(lent.answer))
            let capture = try await queue.capture(lent.id)
            #expect(capture.state == .uploaded && capture.serverID == QueueRig.captureID(lent.digest))
            try await rig.store.open().expectNoLoans("after its end")
        }
        try await queue.run(untilEmpty: true)
        #expect(await rig.uploads.isEmpty)
    }

    @Test("are left to the queue if it has sent the capture meanwhile")
    func sentMeanwhile() async throws {
        let lent = try await lend()
        let queue = try await rig.queue()
        try await queue.run(untilEmpty: true)
        let capture = try await queue.capture(lent.id)
        #expect(capture.state == .uploaded)
        let answers: [HTTPResponse] = [lent.answer, .error(500, "INTERNAL_ERROR")]
        for answer in answers {
            try await queue.endBackgroundUpload(named: lent.name, .success(answer))
            #expect(try await queue.capture(lent.id) == capture)
        }
    }

    @Test("count for a capture that the queue has given up meanwhile, if the server has it")
    func failedMeanwhile() async throws {
        let lent = try await lend()
        try await takeBack()
        let queue = try await rig.queue()
        for _ in 1...5 { await rig.server.script(QueueRig.uploads, .answer(.error(500, "INTERNAL_ERROR"))) }
        try await queue.run(untilEmpty: true)
        #expect(try await queue.capture(lent.id).state == .failed)
        try await queue.endBackgroundUpload(named: lent.name, .success(.error(500, "INTERNAL_ERROR")))
        #expect(try await queue.capture(lent.id).state == .failed)
        try await queue.endBackgroundUpload(named: lent.name, .success(lent.answer))
        let capture = try await queue.capture(lent.id)
        #expect(capture.state == .uploaded && capture.serverID == QueueRig.captureID(lent.digest))
    }

    @Test("count once if they failed, and not at all if a run has taken the body back", arguments: [false, true])
    func failed(isTakenBack: Bool) async throws {
        let lent = try await lend()
        if isTakenBack { try await takeBack() }
        let queue = try await rig.queue()
        for _ in 1...2 {
            try await queue.endBackgroundUpload(named: lent.name, .success(.error(500, "INTERNAL_ERROR")))
            let capture = try await queue.capture(lent.id)
            #expect(capture.state == .pending && capture.failures == (isTakenBack ? 0 : 1))
        }
    }

    @Test("have names that the library gave: no other deletes or records anything")
    func foreignNames() async throws {
        let lent = try await lend()
        let queue = try await rig.queue()
        let names = [
            "", ".body", "../captures.sqlite", "../lent/\(lent.name)", "\(lent.name)\n", String(lent.name.dropLast()),
            lent.name.uppercased(), lent.id.description,
        ]
        for name in names { try await queue.endBackgroundUpload(named: name, .success(lent.answer)) }
        #expect(try await queue.capture(lent.id).state == .pending)
        await #expect(throws: StoreError.isBeingSent) { try await queue.delete(lent.id) }
        let unknown = LocalID()
        await #expect(throws: StoreError.unknownCapture(unknown)) {
            try await queue.endBackgroundUpload(named: "\(unknown)-\(UUID()).body", .success(lent.answer))
        }
    }
}
