import CaptureProtocol
import Foundation
import Testing

@testable import CaptureKit

@Suite("The queue in privacy mode")
struct PrivateQueueTests {
    private let rig: QueueRig
    private let content: PrivateCapture

    init() throws {
        rig = try QueueRig()
        content = try PrivateFixture.capture()
    }

    private var bodies: [HashOnlyBody] {
        get async throws { try await rig.uploads.map { try HashOnlyBody.parse($0.body) } }
    }

    @Test("sends the same body after every fault, and keeps the original")
    func faults() async throws {
        await rig.server.script(
            QueueRig.uploads, .loseAnswer, .fail(.unreachable("")), .answer(.error(503, "STORAGE_ERROR")),
            .answer(.error(429, "RATE_LIMITED")), .answer(.error(500, "INTERNAL_ERROR")), .loseAnswer)
        let queue = try await rig.queue()
        let capture = try await queue.add(content)
        try await queue.run(untilEmpty: true)
        #expect(await rig.uploads.count == 7)
        #expect(Set(await rig.uploads.map(\.body)).count == 1)
        #expect(try await queue.capture(capture.id).state == .uploaded)
        #expect(try await queue.content(.original, of: capture.id) == content.photo)
    }

    @Test("without the payload that is to be signed it fails alone, and the others are sent")
    func lostPayload() async throws {
        await rig.signing.script(assertions: [.later(CaptureFailure(code: "assertion_failed", message: ""))])
        let queue = try await rig.queue()
        let (lost, other) = (try await queue.add(content), try await queue.add(SampleContent()))
        #expect(try await queue.capture(lost.id).state == .assertionPending)
        try await queue.store.files.remove([SealedItem(lost.id, .payload)])
        try await queue.run(untilEmpty: true)
        let failed = try await queue.capture(lost.id)
        #expect(failed.state == .assertionFailed && failed.facts.failure != nil)
        #expect(try await queue.capture(other.id).state == .uploaded)
    }

    @Test("takes its turn among captures in full, and each is sent as it was taken")
    func order() async throws {
        let queue = try await rig.queue()
        let processor = FrameProcessor(limit: .seconds(60))
        for isOn in [false, true, false] {
            let settings = PrivacySettings(isOn: isOn, flags: content.flags)
            try await queue.add(
                try processor.process(PrivateFixture.frame(), on: PrivateFixture.Phone(), location: nil, privacy: settings))
        }
        #expect(try await queue.snapshot().captures.map(\.capture.mode) == [.full, .hashOnly, .full])
        try await queue.run(untilEmpty: true)
        let types = await rig.uploads.compactMap { $0.headers["content-type"]?.prefix(16) }
        #expect(types == ["multipart/form-d", "application/json", "multipart/form-d"])
    }

    @Test("has the payload signed later if the hardware does not sign it at once, and tries as often as for any capture")
    func later() async throws {
        let failure = CaptureFailure(code: "assertion_failed", message: "")
        await rig.signing.script(assertions: Array(repeating: .later(failure), count: 5))
        let queue = try await rig.queue()
        let capture = try await queue.add(content)
        let payload = try await queue.content(.payload, of: capture.id)
        try await queue.run(untilEmpty: true)
        #expect(try await queue.capture(capture.id).state == .assertionFailed)
        await #expect(throws: StoreError.needsAssertion) { try await queue.sendWithoutAssertion(capture.id) }
        try await queue.retry(capture.id)
        try await queue.run(untilEmpty: true)
        #expect(try await bodies.map(\.payload) == [payload])
    }

    @Test("waits for a person where no hardware signs, and sends nothing")
    func noHardware() async throws {
        await rig.signing.script(assertions: [.unsupported, .later(CaptureFailure(code: "", message: "")), .unsupported])
        let queue = try await rig.queue()
        for id in [try await queue.add(content).id, try await queue.add(content).id] {
            try await queue.run(untilEmpty: true)
            let capture = try await queue.capture(id)
            #expect(capture.state == .assertionFailed && capture.facts.failure?.code == "hardware_signature_required")
            #expect(!capture.facts.goesWithoutAssertion)
        }
        #expect(await rig.uploads.isEmpty)
    }

    @Test(
        "has the same payload signed by a new identity when the server does not accept the old one",
        arguments: ["DEVICE_NOT_REGISTERED", "ATTESTATION_FAILED"])
    func newIdentity(code: String) async throws {
        await rig.server.script(QueueRig.uploads, .answer(.error(401, code)))
        let queue = try await rig.queue()
        let former = await rig.signing.current
        let capture = try await queue.add(content)
        try await queue.run(untilEmpty: true)
        #expect(await rig.signing.replaced == [former])
        let sent = try await bodies
        #expect(sent.count == 2 && sent[0].payload == sent[1].payload && sent[0].assertion != sent[1].assertion)
        #expect(try await queue.capture(capture.id).state == .uploaded)
    }

    @Test("leaves it to a person when the server does not accept the new identity either")
    func attestationFailed() async throws {
        let refusal = ScriptedServer.Step.answer(.error(401, "ATTESTATION_FAILED"))
        await rig.server.script(QueueRig.uploads, refusal, refusal)
        let queue = try await rig.queue()
        let capture = try await queue.add(content)
        try await queue.run(untilEmpty: true)
        let failed = try await queue.capture(capture.id)
        #expect(failed.state == .failed && failed.facts.failure?.code == "ATTESTATION_FAILED")
        #expect(await rig.uploads.count == 2)
        #expect(await rig.signing.replaced.count == 1)
    }

    @Test(
        "gives up what the server refuses, and keeps the original",
        arguments: ["INVALID_METADATA", "INVALID_DEPTH_FORMAT", "INVALID_ASSERTION"])
    func refused(code: String) async throws {
        await rig.server.script(QueueRig.uploads, .answer(.error(422, code)))
        let queue = try await rig.queue()
        let capture = try await queue.add(content)
        try await queue.run(untilEmpty: true)
        let failed = try await queue.capture(capture.id)
        #expect(failed.state == .failed && failed.facts.failure?.code == code)
        #expect(try await queue.content(.original, of: capture.id) == content.photo)
    }

    @Test("lends the system a body without media")
    func background() async throws {
        let queue = try await rig.queue()
        let lent = try await queue.lendForBackground(try await queue.add(content).id)
        let body = try #require(FileManager.default.contents(atPath: lent.bodyPath)).map { $0 }
        #expect(body.count < 14_000)
        #expect(try HashOnlyPayload.parse(try HashOnlyBody.parse(body).payload).mediaHash == ContentDigest(of: content.photo))
        #expect(lent.headers.contains { $0 == ("content-type", "application/json") })
    }
}
