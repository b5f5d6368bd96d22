import CaptureProtocol
import Foundation
import Testing

@testable import CaptureKit

@Suite("The queue with bodies over 1 MiB")
struct ResumingQueueTests {
    private let rig: QueueRig
    private let book: UploadBook
    private let content: SampleContent

    init() throws {
        book = UploadBook { digest in QueueRig.accepted(digest) }
        rig = try QueueRig(book)
        var content = SampleContent()
        content.photo = .noise(3_000_000)
        self.content = content
    }

    private func target() throws -> String { try #require(book.target) }

    private func lines() async -> [String] {
        await rig.server.requests.filter { $0.target != QueueRig.uploads || $0.method == "POST" }
            .filter { !$0.target.hasPrefix("/api/v1/captures/") }
            .map { "\($0.method) \($0.headers["upload-offset"] ?? "-") \($0.body.count)" }
    }

    /// Adds a capture whose upload has begun: the first request with content breaks after so many bytes, and so does the next question.
    private func begun(_ queue: CaptureQueue, afterBytes: Int) async throws -> StoredCapture {
        let capture = try await queue.add(content)
        let body = try await queue.store.upload(of: capture).body
        _ = book.answer(
            to: .init(
                method: "POST", target: QueueRig.uploads,
                headers: Dictionary(
                    [("x-digest", try await body.digest().hex), UploadFields.representationDigest(try await body.digest())]
                        + UploadFields.creation(lengthBytes: body.contentLength), uniquingKeysWith: { first, _ in first }), body: []))
        await rig.server.script(try target(), .cut(afterBytes: afterBytes))
        return capture
    }

    private func expectUploaded(_ queue: CaptureQueue, _ id: LocalID) async throws {
        let capture = try await queue.capture(id)
        #expect(capture.state == .uploaded && capture.failures == 0 && capture.facts.failure == nil)
        #expect(capture.facts.upload == nil, "the address goes with the upload")
        #expect(capture.serverID == QueueRig.captureID(try await queue.store.upload(of: capture).body.digest()))
    }

    @Test("makes an upload with an empty signed request, and sends all bytes to its address without a signature")
    func usual() async throws {
        let queue = try await rig.queue()
        let capture = try await queue.add(content)
        let body = try await queue.store.upload(of: capture).body
        try await queue.run(untilEmpty: true)
        #expect(await lines() == ["POST - 0", "PATCH 0 \(body.contentLength)"])
        let requests = await rig.server.requests
        #expect(requests[0].headers["content-type"] == body.contentType)
        #expect(requests[0].headers["x-digest"] == (try await body.digest().hex))
        #expect(requests[1].headers.keys.filter { $0.hasPrefix("x-") } == [])
        #expect(ContentDigest(of: requests[1].body) == (try await body.digest()))
        try await expectUploaded(queue, capture.id)
        #expect(try await queue.snapshot().captures[0].resumedAt == nil)
    }

    @Test("sends bodies up to 1 MiB as a whole", arguments: [(-1, "POST - 1048575"), (0, "POST - 1048576"), (1, "POST - 0")])
    func threshold(difference: Int, first: String) async throws {
        let queue = try await rig.queue()
        var content = content
        let overhead = try await queue.store.upload(of: try await queue.add(content)).body.contentLength - Int64(content.photo.count)
        content.photo = .noise((1 << 20) + difference - Int(overhead))
        let capture = try await queue.add(content)
        #expect(try await queue.store.upload(of: capture).body.contentLength == 1 << 20 + Int64(difference))
        try await queue.run(untilEmpty: true)
        #expect(await lines().dropFirst(2).first == first)
        #expect(try await queue.store.captures().allSatisfy { $0.state == .uploaded })
    }

    @Test(
        "sends a body over 64 KiB so that it goes on once an attempt broke off, also in another process",
        arguments: [
            (700_000, ScriptedServer.Step.fail(.unreachable("")), true), (700_000, .answer(.error(502, "")), true),
            (700_000, .answer(.error(503, "SERVICE_UNAVAILABLE")), true), (700_000, .answer(.error(504, "")), true),
            (700_000, .fail(.untrusted("")), false), (50_000, .fail(.unreachable("")), false),
        ])
    func smallAfterBreak(photoBytes: Int, end: ScriptedServer.Step, goesOn: Bool) async throws {
        let queue = try await rig.queue()
        await rig.server.script(QueueRig.uploads, end)
        var content = content
        content.photo = .noise(photoBytes)
        let capture = try await queue.add(content)
        let length = try await queue.store.upload(of: capture).body.contentLength
        try await queue.attempt(capture.id)
        try await queue.store.close()
        let next = try await rig.queue()
        try await next.run(untilEmpty: true)
        #expect(await lines() == ["POST - \(length)"] + (goesOn ? ["POST - 0", "PATCH 0 \(length)"] : ["POST - \(length)"]))
        try await expectUploaded(next, capture.id)
    }

    @Test("goes on where the server is, at once for as long as it gets more, and tells where")
    func cuts() async throws {
        let queue = try await rig.queue()
        let capture = try await begun(queue, afterBytes: 700_001)
        await rig.server.script(try target(), .usual, .cut(afterBytes: 800_000), .usual)
        let start = rig.clock.now
        try await queue.run(untilEmpty: true)
        let rest = try await queue.store.upload(of: capture).body.contentLength
        #expect(
            await lines() == [
                "POST - 0", "PATCH 0 \(rest)", "HEAD - 0", "PATCH 700001 \(rest - 700_001)", "HEAD - 0",
                "PATCH 1500001 \(rest - 1_500_001)",
            ])
        #expect(rig.clock.now.timeIntervalSince(start) < 1, "no wait")
        try await expectUploaded(queue, capture.id)
        #expect(try await queue.capture(capture.id).facts.resumedAt == 1_500_001)
        #expect(try await queue.snapshot().captures[0].resumedAt == 1_500_001)
    }

    @Test("goes on in another process, with the address that was kept, which no file shows")
    func restarted() async throws {
        let queue = try await rig.queue()
        let capture = try await begun(queue, afterBytes: 700_001)
        await rig.server.script(try target(), .fail(.unreachable("")))
        try await queue.attempt(capture.id)
        let kept = try #require(try await queue.capture(capture.id).facts.upload)
        #expect(kept.address?.target == (try target()))
        let token = try target().dropFirst(UploadBook.path.count)
        try await queue.store.close()
        #expect(try rig.store.everything().firstRange(of: Array(token.utf8)) == nil)

        let next = try await rig.queue()
        let before = await rig.server.requests.count
        try await next.run(untilEmpty: true)
        let after = await rig.server.requests.dropFirst(before)
        #expect(after.map(\.method) == ["HEAD", "PATCH"])
        try await expectUploaded(next, capture.id)
        #expect(try await next.capture(capture.id).facts.resumedAt == 700_001)
    }

    @Test("waits as for a server that is away when nothing comes through, and counts nothing")
    func nothingComesThrough() async throws {
        let queue = try await rig.queue()
        let capture = try await begun(queue, afterBytes: 0)
        await rig.server.script(try target(), .usual, .usual, .cut(afterBytes: 0), .usual)
        let start = rig.clock.now
        try await queue.run(untilEmpty: true)
        let waited = rig.clock.now.timeIntervalSince(start)
        #expect(waited > 0.8 * 3 && waited < 1.2 * 3 + 2, "\(waited)")
        try await expectUploaded(queue, capture.id)
    }

    @Test("finds the answer that was lost")
    func lostAnswer() async throws {
        let queue = try await rig.queue()
        let capture = try await queue.add(content)
        let other = try await begun(queue, afterBytes: 100)
        _ = other
        await rig.server.script(try target(), .usual, .loseAnswer)
        try await queue.run(untilEmpty: true)
        #expect(await lines().suffix(3).map { $0.prefix(4) } == ["PATC", "HEAD", "GET "])
        try await expectUploaded(queue, capture.id)
        try await expectUploaded(queue, other.id)
    }

    @Test("begins anew when the server has forgotten the upload, or has other bytes")
    func anew() async throws {
        let queue = try await rig.queue()
        let capture = try await begun(queue, afterBytes: 700_001)
        await rig.server.script(try target(), .fail(.unreachable("")))
        try await queue.attempt(capture.id)
        book.forget()
        try await queue.run(untilEmpty: true)
        let length = try await queue.store.upload(of: capture).body.contentLength
        #expect(await lines().suffix(3) == ["HEAD - 0", "POST - 0", "PATCH 0 \(length)"])
        try await expectUploaded(queue, capture.id)

        let other = try await begun(queue, afterBytes: 700_001)
        await rig.server.script(try target(), .fail(.unreachable("")))
        try await queue.attempt(other.id)
        book.damage()
        try await queue.run(untilEmpty: true)
        #expect(
            await lines().suffix(4) == ["HEAD - 0", "PATCH 700001 \(length - 700_001)", "POST - 0", "PATCH 0 \(length)"])
        try await expectUploaded(queue, other.id)
    }

    @Test("fails as a plain upload does when the server finds another digest again and again")
    func digestMismatches() async throws {
        let queue = try await rig.queue()
        let capture = try await begun(queue, afterBytes: 10)
        let wrong = ScriptedServer.Step.answer(UploadBook.refusal(400, "DIGEST_MISMATCH"))
        await rig.server.script(try target(), .usual, wrong, wrong)
        try await queue.run(untilEmpty: true)
        let failed = try await queue.capture(capture.id)
        #expect(failed.state == .failed && failed.facts.failure?.code == "DIGEST_MISMATCH" && failed.facts.upload == nil)
        try await queue.retry(capture.id)
        try await queue.run(untilEmpty: true)
        try await expectUploaded(queue, capture.id)
    }

    @Test("sends a whole body to a server that does not know uploads that resume, and asks it again after an hour")
    func plainServer() async throws {
        let queue = try await rig.queue()
        await rig.server.script(QueueRig.uploads, .answer(.error(401, "SIGNATURE_INVALID")))
        for _ in 1...2 { try await queue.add(content) }
        try await queue.run(untilEmpty: true)
        let length = try await queue.store.upload(of: try await queue.store.captures()[0]).body.contentLength
        #expect(await lines() == ["POST - 0", "POST - \(length)", "POST - \(length)"])
        #expect(try await queue.store.captures().allSatisfy { $0.state == .uploaded })
        try await rig.clock.sleep(for: .seconds(3601))
        try await queue.add(content)
        try await queue.run(untilEmpty: true)
        #expect(await lines().suffix(2) == ["POST - 0", "PATCH 0 \(length)"])
    }

    @Test("follows no address at another server")
    func hostileAddress() async throws {
        let queue = try await rig.queue()
        let place = "https://evil.example/api/v1/uploads/abc"
        let hostile = HTTPResponse(
            status: 201, headers: ["location": place, "upload-complete": "?0", "upload-offset": "0", "upload-draft-interop-version": "8"],
            body: [])
        await rig.server.script(QueueRig.uploads, .answer(hostile))
        let capture = try await queue.add(content)
        try await queue.run(untilEmpty: true)
        #expect(await rig.server.requests.allSatisfy { $0.target.hasPrefix("/api/v1/captures") })
        try await expectUploaded(queue, capture.id)
    }

    @Test("takes the server's time, and waits as long as the server asks, as with a plain upload")
    func schedule() async throws {
        let queue = try await rig.queue()
        await rig.server.script(
            QueueRig.uploads, .answer(.error(401, "TIMESTAMP_EXPIRED", headers: ["date": "Fri, 15 Jan 2027 08:06:00 GMT"])))
        let capture = try await queue.add(content)
        try await queue.run(untilEmpty: true)
        #expect(await rig.signing.times.map { $0.timeIntervalSince1970 - 1_800_000_000 } == [0, 360])
        try await expectUploaded(queue, capture.id)

        let limited = try await begun(queue, afterBytes: 10)
        await rig.server.script(
            try target(), .usual,
            .answer(UploadBook.refusal(429, "RATE_LIMITED", ["retry-after": "3000"])))
        let start = rig.clock.now
        try await queue.run(untilEmpty: true)
        #expect(rig.clock.now.timeIntervalSince(start) >= 3000)
        try await expectUploaded(queue, limited.id)
    }

    @Test("sends plain what the system could not send because too many uploads are open, and holds nothing back")
    func noPlaceInBackground() async throws {
        let queue = try await rig.queue()
        let capture = try await queue.add(content)
        let start = rig.clock.now
        let upload = try await queue.lendForBackground(capture.id)
        #expect(upload.headers.contains { $0.name == "repr-digest" })
        try await queue.endBackgroundUpload(upload, .success(UploadBook.refusal(429, "RATE_LIMITED", ["retry-after": "80000"])))
        let again = try await queue.lendForBackground(capture.id)
        #expect(!again.headers.contains { $0.name == "repr-digest" })
        try await queue.endBackgroundUpload(again, nil)
        try await queue.run(untilEmpty: true)
        let length = try await queue.store.upload(of: capture).body.contentLength
        #expect(await lines() == ["POST - \(length)"])
        #expect(rig.clock.now.timeIntervalSince(start) < 60)
        try await expectUploaded(queue, capture.id)
    }

    @Test("leaves the address behind with the device that it was made by")
    func otherDevice() async throws {
        let queue = try await rig.queue()
        let capture = try await begun(queue, afterBytes: 10)
        await rig.server.script(try target(), .usual, .answer(UploadBook.refusal(401, "DEVICE_NOT_REGISTERED")))
        try await queue.run(untilEmpty: true)
        #expect(await lines().filter { $0.hasPrefix("POST") }.count == 2, "the assertion, and with it the body, is another")
        try await expectUploaded(queue, capture.id)
    }

    @Test("shows how much the server has")
    func progress() async throws {
        let queue = try await rig.queue()
        let capture = try await begun(queue, afterBytes: 700_001)
        await rig.server.script(try target(), .usual, .answer(UploadBook.refusal(503, "STORAGE_ERROR")))
        try await queue.attempt(capture.id)
        let shown = try await queue.snapshot().captures[0]
        #expect(shown.storedBytes == 700_001 && shown.resumedAt == 700_001 && shown.capture.state == .pending)
        try await queue.run(untilEmpty: true)
        #expect(try await queue.snapshot().captures[0].storedBytes == nil)
        try await expectUploaded(queue, capture.id)
    }

    @Test("gives the system a body with its digest, so that the system can go on by itself")
    func background() async throws {
        let queue = try await rig.queue()
        let capture = try await queue.add(content)
        let digest = try await queue.store.upload(of: capture).body.digest()
        let lent = try await queue.lendForBackground(capture.id)
        #expect(lent.headers.contains { $0 == UploadFields.representationDigest(digest) })
        #expect(!lent.headers.contains { $0.name.hasPrefix("upload-") }, "the system adds its own")
    }

    @Test("opens a capture that an earlier version of the library kept")
    func earlierFacts() throws {
        let digest = ContentDigest(of: [1])
        let json = """
            {"capturedAt":1,"photoDigest":"\(digest)","depthDigest":"\(digest)","metadataDigest":"\(digest)","goesWithoutAssertion":false}
            """
        let facts = try JSONDecoder().decode(CaptureFacts.self, from: Data(json.utf8))
        #expect(facts.upload == nil && facts.resumedAt == nil)
    }
}
