import CaptureProtocol
import Foundation
import Testing

@testable import CaptureKit

@Suite("The queue")
struct CaptureQueueTests {
    @Test("sends captures in order, one at a time, and keeps the server's answer")
    func order() async throws {
        let rig = try QueueRig()
        let queue = try await rig.queue()
        var digests: [ContentDigest] = []
        for seed in 1...3 {
            let added = try await queue.add(SampleContent(depth: .noise(1000, seed: UInt64(seed))))
            digests.append(try await queue.store.upload(of: added).body.digest())
        }
        try await queue.run(untilEmpty: true)
        let sent = await rig.uploads
        #expect(sent.map { $0.headers["x-digest"] } == digests.map(\.hex))
        #expect(sent.map { ContentDigest(of: $0.body) } == digests)
        let device = await rig.signing.current
        for capture in try await queue.store.captures() {
            #expect(capture.state == .uploaded)
            #expect(capture.serverID != nil)
            #expect(capture.device == device)
            #expect(capture.facts.link == "https://x.example/v/1")
        }
    }

    @Test("sends the next capture although the keys of earlier devices cannot be removed now")
    func keepsKeys() async throws {
        let rig = try QueueRig()
        await rig.signing.keepKeys()
        let queue = try await rig.queue()
        for seed in 1...3 { try await queue.add(SampleContent(depth: .noise(1000, seed: UInt64(seed)))) }
        try await queue.run(untilEmpty: true)
        #expect(try await queue.store.captures().map(\.state) == [.uploaded, .uploaded, .uploaded])
    }

    @Test("sends what was being sent when its process ended")
    func interrupted() async throws {
        let rig = try QueueRig()
        let queue = try await rig.queue()
        let capture = try await queue.add(SampleContent())
        try await queue.store.database.update(capture.id) { row in row.state = .uploading }
        try await rig.queue().run(untilEmpty: true)
        #expect(try await queue.capture(capture.id).state == .uploaded)
    }

    @Test("sends the same request again when the answer is lost")
    func lostAnswer() async throws {
        let rig = try QueueRig()
        await rig.server.script(QueueRig.uploads, .loseAnswer, .loseAnswer)
        let queue = try await rig.queue()
        let capture = try await queue.add(SampleContent(photo: .noise(50_000)))
        try await queue.run(untilEmpty: true)
        let sent = await rig.uploads
        #expect(sent.count == 3)
        #expect(Set(sent.map(\.body)).count == 1)
        #expect(try await queue.capture(capture.id).failures == 0)
    }

    @Test("waits longer and longer for a server that is away, and counts nothing", arguments: [502, 503, 504])
    func away(status: Int) async throws {
        let rig = try QueueRig()
        await rig.server.script(
            QueueRig.uploads, .fail(.unreachable("")), .answer(.error(status, "SERVICE_UNAVAILABLE")), .fail(.untrusted("")),
            .fail(.unreachable("")),
            .fail(.unreachable("")), .fail(.unreachable("")), .fail(.unreachable("")))
        let queue = try await rig.queue()
        let start = rig.clock.now
        let capture = try await queue.add(SampleContent())
        try await queue.run(untilEmpty: true)
        let sent = try await queue.capture(capture.id)
        #expect(sent.state == .uploaded)
        #expect(sent.failures == 0)
        // 1, 2, 4, 8 and 16 s, then twice five minutes, each up to a fifth shorter or longer.
        let waited = rig.clock.now.timeIntervalSince(start)
        #expect(waited > 0.8 * 631 && waited < 1.2 * 631 + 20, "\(waited)")
    }

    @Test("sends the others although one capture never gets through", .timeLimit(.minutes(1)))
    func oneNeverGetsThrough() async throws {
        let rig = try QueueRig { request in
            let length = request.headers["upload-length"].flatMap { Int($0) } ?? request.body.count
            return length > 500_000 ? .error(503, "SERVICE_UNAVAILABLE") : QueueRig.accepted(ContentDigest(of: request.body))
        }
        let queue = try await rig.queue()
        let large = try await queue.add(SampleContent(photo: .noise(700_000)))
        let others = [try await queue.add(SampleContent()).id, try await queue.add(SampleContent()).id]
        let sending = Task { try await queue.run() }
        for try await snapshot in queue.snapshots {
            if snapshot.captures.filter({ others.contains($0.capture.id) }).allSatisfy({ $0.capture.state == .uploaded }) { break }
        }
        sending.cancel()
        _ = await sending.result
        let left = try await queue.capture(large.id)
        #expect(left.state == .pending && left.failures == 0)
    }

    @Test("gives up after five unexpected answers, and sends the next capture meanwhile")
    func unexpected() async throws {
        let rig = try QueueRig()
        await rig.server.script(QueueRig.uploads, .answer(.error(500, "INTERNAL_ERROR")))
        let queue = try await rig.queue()
        let (first, second) = (try await queue.add(SampleContent()), try await queue.add(SampleContent()))
        for _ in 1...4 { await rig.server.script(QueueRig.uploads, .answer(.error(500, "INTERNAL_ERROR"))) }
        await rig.server.script(QueueRig.uploads, .answer(.error(500, "INTERNAL_ERROR")), .answer(.error(500, "INTERNAL_ERROR")))
        for _ in 1...3 { await rig.server.script(QueueRig.uploads, .answer(.error(500, "INTERNAL_ERROR"))) }
        try await queue.run(untilEmpty: true)
        for id in [first.id, second.id] {
            let capture = try await queue.capture(id)
            #expect(capture.state == .failed)
            #expect(capture.facts.failure?.code == "INTERNAL_ERROR")
        }
        let devices = await rig.uploads.count
        #expect(devices == 10)
        try await queue.retry(first.id)
        try await queue.run(untilEmpty: true)
        #expect(try await queue.capture(first.id).state == .uploaded)
        #expect(try await queue.capture(second.id).state == .failed)
    }

    @Test("counts from 0 again once a person tries again, in this process or another", arguments: [false, true])
    func retried(isElsewhere: Bool) async throws {
        let rig = try QueueRig()
        let queue = try await rig.queue()
        let id = try await queue.add(SampleContent()).id
        for _ in 1...5 { await rig.server.script(QueueRig.uploads, .answer(.error(500, "INTERNAL_ERROR"))) }
        for _ in 1...4 { try await queue.attempt(id) }
        #expect(try await queue.capture(id).failures == 4)
        let person = try await isElsewhere ? rig.queue() : queue
        try await person.retry(id)
        try await queue.attempt(id)
        let capture = try await queue.capture(id)
        #expect(capture.state == .pending && capture.failures == 1)
    }

    @Test("gives up at once what the server will never accept", arguments: [400, 413, 415, 422])
    func refused(status: Int) async throws {
        let rig = try QueueRig()
        await rig.server.script(QueueRig.uploads, .answer(.error(status, "VALIDATION_ERROR")))
        let queue = try await rig.queue()
        let (bad, good) = (try await queue.add(SampleContent()), try await queue.add(SampleContent()))
        try await queue.run(untilEmpty: true)
        #expect(try await queue.capture(bad.id).state == .failed)
        let failure = try #require(try await queue.capture(bad.id).facts.failure)
        #expect(failure.code == "VALIDATION_ERROR")
        #expect(failure.details?.contains("\"field\"") == true)
        #expect(try await queue.capture(good.id).state == .uploaded)
        await #expect(throws: StoreError.notAllowed(.failed, to: .uploading)) { try await queue.attempt(bad.id) }
    }

    @Test("takes the server's time when the device's clock is wrong")
    func wrongClock() async throws {
        let rig = try QueueRig()
        // Six minutes ahead of the device.
        await rig.server.script(
            QueueRig.uploads, .answer(.error(401, "TIMESTAMP_EXPIRED", headers: ["date": "Fri, 15 Jan 2027 08:06:00 GMT"])))
        let queue = try await rig.queue()
        try await queue.add(SampleContent())
        try await queue.add(SampleContent())
        try await queue.run(untilEmpty: true)
        let offsets = await rig.signing.times.map { $0.timeIntervalSince1970 - 1_800_000_000 }
        #expect(offsets == [0, 360, 360])
        #expect(try await queue.store.captures().map(\.state) == [.uploaded, .uploaded])
    }

    @Test("registers anew and asserts anew when the server does not know the device")
    func unknownDevice() async throws {
        let rig = try QueueRig()
        await rig.server.script(QueueRig.uploads, .answer(.error(401, "DEVICE_NOT_REGISTERED")))
        let queue = try await rig.queue()
        let capture = try await queue.add(SampleContent())
        let former = await rig.signing.current
        try await queue.run(untilEmpty: true)
        let sent = await rig.uploads
        let current = await rig.signing.current
        #expect(current != former)
        #expect(sent.map { $0.headers["x-device-id"] } == [former.description, current.description])
        #expect(sent[1].body.firstRange(of: Array(current.description.utf8)) != nil, "the assertion is by the new device")
        #expect(try await queue.capture(capture.id).device == current)
        #expect(await rig.signing.replaced == [former])
    }

    @Test("registers anew when the keys of the device that signed are gone")
    func lostKeys() async throws {
        let rig = try QueueRig()
        let queue = try await rig.queue()
        let capture = try await queue.add(SampleContent())
        await rig.signing.script(lost: [await rig.signing.current])
        try await queue.run(untilEmpty: true)
        #expect(try await queue.capture(capture.id).state == .uploaded)
        #expect(await rig.uploads.count == 1)
    }

    @Test("stops the captures of a revoked device, and tells")
    func revoked() async throws {
        let rig = try QueueRig()
        await rig.server.script(QueueRig.uploads, .answer(.error(403, "DEVICE_REVOKED")))
        let queue = try await rig.queue()
        let device = await rig.signing.current
        for _ in 1...2 { try await queue.add(SampleContent()) }
        try await queue.run(untilEmpty: true)
        #expect(await rig.uploads.count == 1)
        let snapshot = try await queue.snapshot()
        #expect(snapshot.captures.map(\.capture.state) == [.pending, .pending])
        #expect(snapshot.captures.map(\.capture.facts.failure?.code) == ["DEVICE_REVOKED", "DEVICE_REVOKED"])
        #expect(snapshot.revokedDevices == [device])
    }

    @Test("asks again for a revoked device when somebody tries again, and not when only the network is back", arguments: [false, true])
    func restored(isForeground: Bool) async throws {
        let rig = try QueueRig()
        let refusal = ScriptedServer.Step.answer(.error(403, "DEVICE_REVOKED"))
        await rig.server.script(QueueRig.uploads, refusal, refusal)
        let queue = try await rig.queue()
        let device = await rig.signing.current
        let ids = [try await queue.add(SampleContent()).id, try await queue.add(SampleContent()).id]
        try await queue.run(untilEmpty: true)
        await queue.networkIsBack()
        try await queue.run(untilEmpty: true)
        #expect(await rig.uploads.count == 1)
        // Still revoked: one request says so.
        if isForeground { try await queue.resume() } else { try await queue.retry(ids[1]) }
        try await queue.run(untilEmpty: true)
        #expect(await rig.uploads.count == 2)
        #expect(try await queue.snapshot().revokedDevices == [device])
        if isForeground { try await queue.resume() } else { try await queue.retry(ids[1]) }
        try await queue.run(untilEmpty: true)
        #expect(try await queue.store.captures().map(\.state) == [.uploaded, .uploaded])
        #expect(try await queue.snapshot().revokedDevices.isEmpty)
    }

    @Test("stops the captures without assertion of a revoked device too")
    func revokedWithoutAssertion() async throws {
        let rig = try QueueRig()
        let refusal = ScriptedServer.Step.answer(.error(403, "DEVICE_REVOKED"))
        await rig.server.script(QueueRig.uploads, refusal, refusal)
        await rig.signing.script(assertions: [.unsupported])
        let queue = try await rig.queue()
        let capture = try await queue.add(SampleContent())
        try await queue.run(untilEmpty: true)
        #expect(await rig.uploads.count == 1)
        #expect(try await queue.capture(capture.id).device == rig.signing.current)
    }

    @Test("waits as long as the server asks")
    func rateLimited() async throws {
        let rig = try QueueRig()
        await rig.server.script(QueueRig.uploads, .answer(.error(429, "RATE_LIMITED", headers: ["retry-after": "3000"])))
        let queue = try await rig.queue()
        let start = rig.clock.now
        let capture = try await queue.add(SampleContent())
        try await queue.run(untilEmpty: true)
        #expect(try await queue.capture(capture.id).failures == 0)
        let waited = rig.clock.now.timeIntervalSince(start)
        #expect(waited >= 3000 && waited < 3010, "\(waited)")
    }

    @Test("tries a missing assertion again after 1, 2 and 4 s, then leaves it to a person")
    func assertionFails() async throws {
        let rig = try QueueRig()
        let failure = CaptureFailure(code: "assertion_failed", message: "")
        await rig.signing.script(assertions: Array(repeating: .later(failure), count: 5))
        let queue = try await rig.queue()
        let capture = try await queue.add(SampleContent())
        #expect(capture.state == .assertionPending)
        let start = rig.clock.now
        try await queue.run(untilEmpty: true)
        #expect(try await queue.capture(capture.id).state == .assertionFailed)
        #expect(rig.clock.now.timeIntervalSince(start) >= 7)
        #expect(await rig.uploads.isEmpty)
        try await queue.sendWithoutAssertion(capture.id)
        try await queue.run(untilEmpty: true)
        #expect(try await queue.capture(capture.id).state == .uploaded)
        let body = try #require(await rig.uploads.first?.body)
        #expect(body.firstRange(of: Array("name=\"assertion\"".utf8)) == nil)
    }

    @Test(
        "sends only what lacks its assertion without it",
        arguments: [CaptureState.pending, .uploading, .failed])
    func nothingMissing(state: CaptureState) async throws {
        let rig = try QueueRig()
        let queue = try await rig.queue()
        let id = try await queue.add(SampleContent()).id
        for next in [CaptureState.uploading, state] {
            try await queue.store.database.update(id) { row in row.state = next }
        }
        await #expect(throws: StoreError.notAllowed(state, to: .pending)) { try await queue.sendWithoutAssertion(id) }
        let capture = try await queue.capture(id)
        #expect(capture.state == state && capture.hasAssertion && !capture.facts.goesWithoutAssertion)
    }

    @Test("goes on if a capture is changed by another process while it is being sent")
    func changedMeanwhile() async throws {
        let rig = try QueueRig()
        let other = try await rig.store.open()
        let queue = try await rig.queue(
            InterruptedServer(server: rig.server) {
                for capture in try await other.captures() where capture.state == .uploading {
                    try await other.database.update(capture.id) { row in row.state = .pending }
                }
            })
        for seed in 1...2 { try await queue.add(SampleContent(depth: .noise(1000, seed: UInt64(seed)))) }
        try await queue.run(untilEmpty: true)
        #expect(try await queue.store.captures().map(\.state) == [.uploaded, .uploaded])
        #expect(await rig.uploads.count == 3, "the first one is sent again")
    }

    @Test("makes an assertion that failed in the foreground again")
    func resume() async throws {
        let rig = try QueueRig()
        await rig.signing.script(assertions: Array(repeating: .later(CaptureFailure(code: "", message: "")), count: 5))
        let queue = try await rig.queue()
        let capture = try await queue.add(SampleContent())
        try await queue.run(untilEmpty: true)
        try await queue.resume()
        try await queue.run(untilEmpty: true)
        #expect(try await queue.capture(capture.id).state == .uploaded)
        #expect(try await queue.capture(capture.id).hasAssertion)
    }

    @Test("registers the device before the first capture is asserted, whenever the server is there")
    func registersLater() async throws {
        let rig = try QueueRig()
        let failure = CaptureFailure(code: "unreachable", message: "")
        await rig.signing.script(
            assertions: [.needsRegistration(replacing: nil), .needsRegistration(replacing: nil), .needsRegistration(replacing: nil)],
            unavailable: [
                DeviceUnavailable(failure: failure, retryAfter: nil), DeviceUnavailable(failure: failure, retryAfter: .seconds(90)),
            ])
        let queue = try await rig.queue()
        let capture = try await queue.add(SampleContent())
        let start = rig.clock.now
        try await queue.run(untilEmpty: true)
        let sent = try await queue.capture(capture.id)
        #expect(sent.state == .uploaded)
        #expect(sent.assertionAttempts == 0)
        #expect(rig.clock.now.timeIntervalSince(start) >= 90)
    }

    @Test("waits with all captures for the registration, and sends them in their order")
    func registrationForAll() async throws {
        let rig = try QueueRig()
        await rig.signing.script(
            assertions: Array(repeating: .needsRegistration(replacing: nil), count: 3),
            unavailable: [DeviceUnavailable(failure: CaptureFailure(code: "unreachable", message: ""), retryAfter: nil)])
        let queue = try await rig.queue()
        let depths = [[UInt8].noise(1000, seed: 11), .noise(1000, seed: 12)]
        for depth in depths { try await queue.add(SampleContent(depth: depth)) }
        try await queue.run(untilEmpty: true)
        let sent = await rig.uploads
        #expect(sent.map { upload in depths.firstIndex { upload.body.firstRange(of: $0) != nil } } == [0, 1])
    }

    @Test("sends without an assertion where the device has none")
    func unsupported() async throws {
        let rig = try QueueRig()
        await rig.signing.script(assertions: [.unsupported])
        let queue = try await rig.queue()
        let capture = try await queue.add(SampleContent())
        try await queue.run(untilEmpty: true)
        #expect(try await queue.capture(capture.id).state == .uploaded)
        #expect(try await !queue.capture(capture.id).hasAssertion)
    }

    @Test("fails a capture whose file was changed, and sends the others")
    func damaged() async throws {
        let rig = try QueueRig()
        let queue = try await rig.queue()
        let (bad, good) = (try await queue.add(SampleContent()), try await queue.add(SampleContent()))
        let path = rig.store.path + "/content/\(bad.id).photo"
        var bytes = try #require(FileManager.default.contents(atPath: path))
        bytes[100] ^= 1
        try bytes.write(to: URL(fileURLWithPath: path))
        try await queue.run(untilEmpty: true)
        #expect(try await queue.capture(bad.id).state == .failed)
        #expect(try await queue.capture(bad.id).facts.failure?.code == "not_readable")
        #expect(try await queue.capture(good.id).state == .uploaded)
    }

    @Test("fetches the confidence until it is final, and shows each change")
    func results() async throws {
        let rig = try QueueRig()
        let queue = try await rig.queue()
        let capture = try await queue.add(SampleContent())
        let runner = Task { try await queue.run() }
        var states: [CaptureState] = []
        for try await snapshot in queue.snapshots {
            guard let shown = snapshot.captures.first(where: { $0.capture.id == capture.id }) else { continue }
            if states.last != shown.capture.state { states.append(shown.capture.state) }
            if shown.capture.facts.confidence == "high" { break }
        }
        runner.cancel()
        _ = await runner.result
        #expect(states.last == .uploaded)
        #expect(try await queue.capture(capture.id).facts.isFinal)
    }

    @Test("lets one process send, while others add")
    func twoSenders() async throws {
        let rig = try QueueRig()
        let (one, other) = (try await rig.queue(), try await rig.queue())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for queue in [one, other] {
                for _ in 1...5 { group.addTask { try await queue.add(SampleContent()) } }
            }
            try await group.waitForAll()
            for queue in [one, other] { group.addTask { try await queue.run(untilEmpty: true) } }
            try await group.waitForAll()
        }
        let sent = await rig.uploads
        #expect(sent.count == 10)
        #expect(Set(sent.map { $0.headers["x-digest"] }).count == 10)
        #expect(try await one.store.captures().allSatisfy { $0.state == .uploaded })
    }

    @Test("lends a body to the system, and takes its answer")
    func background() async throws {
        let rig = try QueueRig()
        let queue = try await rig.queue()
        let capture = try await queue.add(SampleContent())
        let upload = try await queue.lendForBackground(capture.id)
        let body = try #require(FileManager.default.contents(atPath: upload.bodyPath))
        #expect(upload.headers.contains { $0.name == "X-Digest" && $0.value == ContentDigest(of: body).hex })
        let answer = #"{"data":{"capture_id":"\#(CaptureID())","status":"processing","verification_url":"https://x.example/v/1"}}"#
        try await queue.endBackgroundUpload(upload, .success(.json(200, answer)))
        #expect(try await queue.capture(capture.id).state == .uploaded)
        #expect(!FileManager.default.fileExists(atPath: upload.bodyPath))
    }
}
