import CaptureProtocol
import Foundation
import Synchronization
import Testing

@testable import CaptureKit

@Suite("Captures that were withdrawn on the server")
struct QueueWithdrawalTests {
    @Test("are asked for no more, and what the device has of them stays until its person deletes it", .timeLimit(.minutes(1)))
    func stays() async throws {
        let rig = try QueueRig()
        let server = ScriptedServer { request in
            request.method == "GET"
                ? .json(410, #"{"error":{"code":"GONE","message":"This capture was withdrawn.","withdrawn_on":"2026-11-23"}}"#)
                : .json(201, #"{"data":{"capture_id":"\#(CaptureID())","status":"processing","verification_url":"https://x.example/v/1"}}"#)
        }
        let queue = try await rig.queue(server)
        let id = try await queue.add(SampleContent()).id
        let sending = Task { try await queue.run() }
        var found: StoredCapture?
        for try await snapshot in queue.snapshots {
            found = snapshot.captures.first?.capture
            if found?.isWithdrawn == true { break }
        }
        sending.cancel()
        _ = await sending.result
        #expect(found?.state == .uploaded && found?.facts.isFinal == true && found?.facts.confidence == nil)
        try await expire(rig, queue, id)
        #expect(try await queue.capture(id).hasContent)
        #expect(try await !queue.content(.photo, of: id).isEmpty)
        try await queue.delete(id)
        await #expect(throws: StoreError.self) { try await queue.capture(id) }
    }

    @Test("are told from pages that something on the way calls gone")
    func goneElsewhere() async throws {
        let rig = try QueueRig()
        let server = ScriptedServer { request in
            request.method == "GET"
                ? HTTPResponse(status: 410, headers: [:], body: Array("<html>".utf8))
                : .json(201, #"{"data":{"capture_id":"\#(CaptureID())","status":"processing","verification_url":"https://x.example/v/1"}}"#)
        }
        let queue = try await rig.queue(server)
        let id = try await queue.add(SampleContent()).id
        try await queue.run(untilEmpty: true)
        try await queue.askResult(id)
        let capture = try await queue.capture(id)
        #expect(capture.state == .uploaded && !capture.isWithdrawn && !capture.facts.isFinal)
    }

    /// Removes what may go after a year, at whose end the server is asked.
    private func expire(_ rig: QueueRig, _ queue: CaptureQueue, _ id: LocalID) async throws {
        try await rig.clock.sleep(for: .seconds(365 * 86_400))
        try await queue.askResult(id)
        try await queue.store.expire(at: rig.clock.now)
    }

    /// A queue whose only capture has been sent, and its result is known.
    private func sent(to server: ScriptedServer) async throws -> (QueueRig, CaptureQueue, LocalID) {
        let rig = try QueueRig()
        let queue = try await rig.queue(server)
        let id = try await queue.add(SampleContent()).id
        try await queue.run(untilEmpty: true)
        try await queue.askResult(id)
        return (rig, queue, id)
    }

    private func server(_ withdrawal: @escaping @Sendable () -> HTTPResponse) -> ScriptedServer {
        let capture = CaptureID()
        return ScriptedServer { request in
            switch request.method {
            case "DELETE": withdrawal()
            case "GET": .json(200, #"{"data":{"status":"complete","confidence_level":"high"}}"#)
            default:
                .json(201, #"{"data":{"capture_id":"\#(capture)","status":"processing","verification_url":"https://x.example/v/1"}}"#)
            }
        }
    }

    @Test("its device withdraws it by a signed request, and keeps what it has")
    func withdraws() async throws {
        let server = server { HTTPResponse(status: 204, headers: [:], body: []) }
        let (rig, queue, id) = try await sent(to: server)
        let sender = try #require(try await queue.capture(id).device)
        #expect(await rig.signing.forgotten == [[sender]], "its keys are kept for that")
        try await queue.withdraw(id)
        let capture = try await queue.capture(id)
        let request = try #require(await server.requests.last { $0.method == "DELETE" })
        #expect(request.target == "/api/v1/captures/\(try #require(capture.serverID))" && request.body.isEmpty)
        #expect(request.headers["x-device-id"] == capture.device?.description)
        #expect(request.headers["x-digest"] == ContentDigest(of: [UInt8]()).hex)
        #expect(capture.isWithdrawn && capture.hasContent && capture.facts.isFinal)
        try await queue.withdraw(id)
    }

    @Test("the keys of an earlier device are forgotten once all that it sent is withdrawn, with the next upload")
    func earlierDevice() async throws {
        let (rig, queue, id) = try await sent(to: server { HTTPResponse(status: 204, headers: [:], body: []) })
        let sender = try #require(try await queue.capture(id).device)
        let current = try await rig.signing.currentDevice(replacing: sender)
        try await queue.add(SampleContent())
        try await queue.run(untilEmpty: true)
        try await queue.withdraw(id)
        try await queue.add(SampleContent())
        try await queue.run(untilEmpty: true)
        #expect(await rig.signing.forgotten == [[sender], [sender, current], [current]])
    }

    @Test(
        "a refusal leaves it as it was, and is told",
        arguments: [(401, "SIGNATURE_INVALID"), (403, "DEVICE_REVOKED"), (404, "NOT_FOUND"), (429, "RATE_LIMITED")])
    func refused(status: Int, code: String) async throws {
        let server = server { .json(status, #"{"error":{"code":"\#(code)","message":"refused"}}"#) }
        let (rig, queue, id) = try await sent(to: server)
        await #expect(throws: WithdrawalFailure.refused(ServerError(status: status, code: code, message: "refused"))) {
            try await queue.withdraw(id)
        }
        #expect(try await !queue.capture(id).isWithdrawn)
        try await expire(rig, queue, id)
        #expect(try await !queue.capture(id).hasContent, "the server has it")
    }

    @Test("an answer that does not say whether it was done leaves what is here", arguments: [408, 410, 500, 504])
    func unclear(status: Int) async throws {
        let (rig, queue, id) = try await sent(to: server { .json(status, #"{"error":{"code":"SOME_CODE","message":"later"}}"#) })
        let error = ServerError(status: status, code: "SOME_CODE", message: "later")
        await #expect(throws: WithdrawalFailure.unclear(error)) { try await queue.withdraw(id) }
        try await expire(rig, queue, id)
        #expect(try await queue.capture(id).hasContent)
        #expect(try await !queue.content(.photo, of: id).isEmpty)
    }

    @Test(
        "a refusal does not take back that an earlier attempt may have done it",
        arguments: [HTTPResponse.json(429, "{}"), .json(403, #"{"error":{"code":"DEVICE_REVOKED","message":"revoked"}}"#)])
    func unclearBefore(answer: HTTPResponse) async throws {
        let server = server { answer }
        let (rig, queue, id) = try await sent(to: server)
        let serverID = try #require(try await queue.capture(id).serverID)
        await server.script("/api/v1/captures/\(serverID)", .fail(.unreachable("gone")))
        await #expect(throws: WithdrawalFailure.transport(.unreachable("gone"))) { try await queue.withdraw(id) }
        await #expect(throws: WithdrawalFailure.unclear(ServerError(answer))) { try await queue.withdraw(id) }
        try await expire(rig, queue, id)
        #expect(try await queue.capture(id).hasContent)
    }

    @Test("a phone whose clock is wrong signs with the server's time")
    func clock() async throws {
        let answers = Mutex([
            HTTPResponse(
                status: 401, headers: ["date": "Mon, 23 Nov 2026 12:00:00 GMT"],
                body: Array(#"{"error":{"code":"TIMESTAMP_EXPIRED","message":"expired"}}"#.utf8)),
            HTTPResponse(status: 204, headers: [:], body: []),
        ])
        let server = server { answers.withLock { $0.removeFirst() } }
        let (rig, queue, id) = try await sent(to: server)
        try await queue.withdraw(id)
        let times = await rig.signing.times.suffix(2)
        #expect(times.first != times.last && times.last.map { abs($0.timeIntervalSince1970 - 1_795_435_200) < 2 } == true)
        #expect(try await queue.capture(id).isWithdrawn)
    }

    @Test("what is withdrawn, or may be, since its retention was found to have passed, is kept", arguments: [true, false])
    func withdrawnMeanwhile(isWanted: Bool) async throws {
        let (rig, queue, id) = try await sent(to: server { HTTPResponse(status: 204, headers: [:], body: []) })
        let (found, files) = (try await queue.capture(id), try rig.store.content())
        try await queue.store.database.update(id) { row in
            if isWanted { row.facts.withdrawalWanted = true } else { row.facts.withdrawnOnServer = true }
        }
        try await queue.store.removeContent(of: found, at: rig.clock.now)
        #expect(try await queue.capture(id).hasContent)
        #expect(try rig.store.content() == files)
    }

    @Test("one that the server has lost is not sent once more after that, unless its person tries it again", .timeLimit(.minutes(1)))
    func lostByServer() async throws {
        let rig = try QueueRig { request in
            request.method == "POST" ? QueueRig.accepted(ContentDigest(of: request.body)) : .error(404, "CAPTURE_NOT_FOUND")
        }
        let queue = try await rig.queue()
        let id = try await queue.add(SampleContent()).id
        try await queue.run(untilEmpty: true)
        try await queue.store.database.update(id) { row in row.facts.confidence = "high" }
        await #expect(throws: WithdrawalFailure.notThere) { try await queue.withdraw(id) }
        try await queue.askResult(id)
        try await queue.run(untilEmpty: true)
        #expect(await rig.uploads.count == 1)
        try await queue.retry(id)
        try await queue.run(untilEmpty: true)
        #expect(await rig.uploads.count == 2)
        #expect(try await queue.capture(id).facts.confidence == nil, "the result is asked for anew")
    }

    /// A queue whose only capture waits to be sent once more, since the server has lost it. Sent again it gets another id.
    private func lost(_ ids: [CaptureID]) async throws -> (QueueRig, CaptureQueue, LocalID) {
        let next = Mutex(ids)
        let rig = try QueueRig { request in
            switch request.method {
            case "DELETE" where request.target == APIPath.capture(ids[1]): HTTPResponse(status: 204, headers: [:], body: [])
            case "POST":
                .data(
                    201,
                    #"{"capture_id":"\#(next.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] })","status":"processing","#
                        + #""verification_url":"https://x.example/v/1"}"#)
            default: .error(404, "CAPTURE_NOT_FOUND")
            }
        }
        let queue = try await rig.queue()
        let id = try await queue.add(SampleContent()).id
        try await queue.run(untilEmpty: true)
        try await queue.askResult(id)
        #expect(try await queue.capture(id).state == .pending)
        return (rig, queue, id)
    }

    @Test("one that the server lost, and has of another attempt whose answer was lost, is withdrawn by its new id")
    func lostAndUnheard() async throws {
        let ids = [CaptureID(), CaptureID()]
        let (rig, queue, id) = try await lost(ids)
        await rig.server.script(QueueRig.uploads, .loseAnswer)
        try await queue.attempt(id)
        try await queue.withdraw(id)
        let requests = await rig.server.requests
        #expect(requests.map(\.method) == ["POST", "GET", "GET", "POST", "POST", "DELETE"])
        #expect(requests.last?.target == APIPath.capture(ids[1]))
        let capture = try await queue.capture(id)
        #expect(capture.isWithdrawn && capture.serverID == ids[1] && capture.facts.withdrawalWanted == nil)
    }

    @Test("one that the server lost is not sent to find it if it was not sent since, and only its person sends it again")
    func lostAndNotSent() async throws {
        let (rig, queue, id) = try await lost([CaptureID(), CaptureID()])
        for _ in 1...2 { await #expect(throws: WithdrawalFailure.notThere) { try await queue.withdraw(id) } }
        try await queue.run(untilEmpty: true)
        #expect(await rig.uploads.count == 1)
        #expect(try await queue.capture(id).facts.withdrawalWanted == true)
    }

    @Test("one that the server lost, and that did not arrive again, is sent again only by its person")
    func lostAndDidNotArrive() async throws {
        let (rig, queue, id) = try await lost([CaptureID(), CaptureID()])
        let created = HTTPResponse(
            status: 201,
            headers: [
                "upload-draft-interop-version": "8", "upload-complete": "?0", "upload-offset": "0",
                "location": "https://rial.example\(UploadBook.path)\(UUID())",
            ], body: [])
        await rig.server.script(QueueRig.uploads, .fail(.unreachable("")), .answer(created))
        try await queue.attempt(id)
        // As if that had been an upload that resumes.
        try await queue.store.database.update(id) { row in row.facts.sentAtOnce = nil }
        await #expect(throws: WithdrawalFailure.notThere) { try await queue.withdraw(id) }
        try await queue.run(untilEmpty: true)
        #expect(await rig.uploads.count == 3)
        #expect(try await queue.capture(id).state == .pending)
        try await queue.retry(id)
        try await queue.run(untilEmpty: true)
        #expect(try await queue.capture(id).state == .uploaded)
    }

    @Test("one that the server lost is asked for again after an attempt to withdraw it without a network")
    func lostWithoutNetwork() async throws {
        let ids = [CaptureID(), CaptureID()]
        let (rig, queue, id) = try await lost(ids)
        await rig.server.script(QueueRig.uploads, .loseAnswer, .fail(.unreachable("gone")))
        try await queue.attempt(id)
        await rig.server.script(APIPath.capture(ids[1]), .fail(.unreachable("gone")))
        // Neither asked nor told.
        for _ in 1...2 {
            await #expect(throws: WithdrawalFailure.transport(.unreachable("gone"))) { try await queue.withdraw(id) }
        }
        try await queue.withdraw(id)
        #expect(try await queue.capture(id).isWithdrawn)
        #expect(await rig.server.requests.last?.target == APIPath.capture(ids[1]))
    }

    /// A queue whose only capture was sent, and nothing heard of it.
    /// - Parameter isAtOnce: whether it was sent in one request.
    private func unheard(
        _ server: ScriptedServer, _ end: ScriptedServer.Step = .fail(.unreachable("")), isAtOnce: Bool = false
    ) async throws -> (QueueRig, CaptureQueue, StoredCapture) {
        let rig = try QueueRig()
        let queue = try await rig.queue(server)
        let id = try await queue.add(SampleContent()).id
        await server.script(QueueRig.uploads, end)
        try await queue.attempt(id)
        #expect(try await queue.capture(id).facts.sentAtOnce == true)
        if !isAtOnce { try await queue.store.database.update(id) { row in row.facts.sentAtOnce = nil } }
        return (rig, queue, try await queue.capture(id))
    }

    @Test(
        "what was sent without an answer is asked for, and withdrawn if the server has it", arguments: [false, true],
        [(isAtOnce: false, daysAgo: 0), (isAtOnce: true, daysAgo: 0), (isAtOnce: false, daysAgo: 7)])
    func lostAnswer(hasFailed: Bool, attempt: (isAtOnce: Bool, daysAgo: Int)) async throws {
        let server = server { HTTPResponse(status: 204, headers: [:], body: []) }
        let (rig, queue, capture) = try await unheard(server, .loseAnswer, isAtOnce: attempt.isAtOnce)
        try await rig.clock.sleep(for: .seconds(attempt.daysAgo * 86_400))
        if hasFailed { try await queue.store.database.update(capture.id) { row in row.state = .failed } }
        try await queue.withdraw(capture.id)
        let withdrawn = try await queue.capture(capture.id)
        #expect(withdrawn.state == .uploaded && withdrawn.isWithdrawn && withdrawn.hasContent)
        #expect(try rig.store.content().count == 5)
        let requests = await server.requests
        #expect(requests.map(\.method) == ["POST", "POST", "DELETE"])
        #expect(requests[0].headers["x-digest"] == requests[1].headers["x-digest"])
        if attempt == (false, 0) {
            #expect(requests[1].body.isEmpty, "the server knows it by its digest")
        } else {
            #expect(requests[1].body == requests[0].body, "the server knows it by its bytes")
        }
        #expect(requests[2].target == "/api/v1/captures/\(try #require(withdrawn.serverID))")
    }

    @Test("what was sent without an answer a week ago is known by its bytes alone, also after attempts that reached nobody")
    func unheardLongAgo() async throws {
        let server = server { HTTPResponse(status: 204, headers: [:], body: []) }
        let (rig, queue, capture) = try await unheard(server, .loseAnswer)
        for _ in 1...2 {
            try await rig.clock.sleep(for: .seconds(3 * 86_400))
            await server.script(QueueRig.uploads, .fail(.unreachable("")))
            try await queue.attempt(capture.id)
        }
        #expect(try await queue.capture(capture.id).facts.sentAtOnce == nil)
        try await rig.clock.sleep(for: .seconds(86_400))
        try await queue.withdraw(capture.id)
        let posts = await server.requests.filter { $0.method == "POST" }
        #expect(try #require(posts.last).body == posts[0].body)
        #expect(try await queue.capture(capture.id).isWithdrawn)
    }

    @Test("what was sent without an answer a week ago by the server's time is known by its bytes alone, also if the phone's was set back")
    func unheardAndSetBack() async throws {
        let server = server { HTTPResponse(status: 204, headers: [:], body: []) }
        let (rig, queue, capture) = try await unheard(server, .loseAnswer)
        try await rig.clock.sleep(for: .seconds(2 * 86_400))
        let address = "\(UploadBook.path)\(UUID())"
        let created = HTTPResponse(
            status: 201,
            headers: [
                "upload-draft-interop-version": "8", "upload-complete": "?0", "upload-offset": "0",
                "location": "https://rial.example\(address)",
            ], body: [])
        // Ten days after it was sent.
        await server.script(
            QueueRig.uploads, .answer(.error(401, "TIMESTAMP_EXPIRED", headers: ["date": "Mon, 25 Jan 2027 08:00:00 GMT"])),
            .answer(created))
        try await queue.withdraw(capture.id)
        let requests = await server.requests
        #expect(requests.map(\.method) == ["POST", "POST", "POST", "DELETE", "POST", "DELETE"])
        #expect(requests[2].body.isEmpty && requests[3].target == address, "what was made only to ask is ended")
        #expect(requests[4].body == requests[0].body)
        #expect(try await queue.capture(capture.id).isWithdrawn)
    }

    @Test("of what was sent without an answer, and did not arrive, nothing is left on the server")
    func didNotArrive() async throws {
        let book = UploadBook { digest in QueueRig.accepted(digest) }
        let server = ScriptedServer { book.answer(to: $0) ?? QueueRig.accepted(ContentDigest(of: $0.body)) }
        let (rig, queue, capture) = try await unheard(server)
        await #expect(throws: WithdrawalFailure.notThere) { try await queue.withdraw(capture.id) }
        let requests = await server.requests
        #expect(requests.map(\.method) == ["POST", "POST", "DELETE"])
        #expect(requests[2].target.hasPrefix(UploadBook.path) && book.target == nil)
        #expect(try await queue.capture(capture.id).state == .pending)
        #expect(try rig.store.content().count == 5)
        try await queue.run(untilEmpty: true)
        #expect(try await queue.capture(capture.id).state == .uploaded)
    }

    @Test("a server that does not know uploads that resume is asked by sending it once more")
    func plainServer() async throws {
        let server = server { HTTPResponse(status: 204, headers: [:], body: []) }
        let (rig, queue, capture) = try await unheard(server, .loseAnswer)
        await server.script(QueueRig.uploads, .answer(.error(401, "SIGNATURE_INVALID")))
        try await queue.withdraw(capture.id)
        let requests = await server.requests
        #expect(requests.map(\.method) == ["POST", "POST", "POST", "DELETE"])
        #expect(requests[0].body == requests[2].body)
        #expect(try await queue.capture(capture.id).isWithdrawn)
        #expect(try rig.store.content().count == 5)
    }

    @Test("what was sent without an answer is not said to be unsent without a network, nor when another device would have to ask")
    func cannotAsk() async throws {
        let server = server { HTTPResponse(status: 204, headers: [:], body: []) }
        let (rig, queue, capture) = try await unheard(server)
        await server.script(QueueRig.uploads, .fail(.unreachable("gone")), .answer(.error(429, "RATE_LIMITED")))
        await #expect(throws: WithdrawalFailure.transport(.unreachable("gone"))) { try await queue.withdraw(capture.id) }
        let limited = ServerError(HTTPResponse.error(429, "RATE_LIMITED"))
        await #expect(throws: WithdrawalFailure.unclear(limited)) { try await queue.withdraw(capture.id) }
        let waiting = try await queue.capture(capture.id)
        #expect(waiting.state == .pending && waiting.facts.withdrawalWanted == nil, "it is sent again")
        try await queue.store.database.update(capture.id) { row in row.device = DeviceID() }
        #expect(try rig.store.content().count == 5)
        await #expect(throws: WithdrawalFailure.keysGone) { try await queue.withdraw(capture.id) }
    }

    @Test("what the system is sending is not asked for before that has ended")
    func lent() async throws {
        let server = server { HTTPResponse(status: 204, headers: [:], body: []) }
        let rig = try QueueRig()
        let queue = try await rig.queue(server)
        let id = try await queue.add(SampleContent()).id
        let upload = try await queue.lendForBackground(id)
        await #expect(throws: StoreError.isBeingSent) { try await queue.withdraw(id) }
        try await queue.endBackgroundUpload(upload, nil)
        try await queue.withdraw(id)
        #expect(try await queue.capture(id).isWithdrawn, "the system may have sent it")
    }

    @Test("what the system is sending is not withdrawn either if it was sent otherwise meanwhile")
    func lentAndSent() async throws {
        let server = server { HTTPResponse(status: 204, headers: [:], body: []) }
        let rig = try QueueRig()
        let queue = try await rig.queue(server)
        let id = try await queue.add(SampleContent()).id
        let upload = try await queue.lendForBackground(id)
        try await queue.attempt(id)
        #expect(try await queue.capture(id).state == .uploaded)
        await #expect(throws: StoreError.isBeingSent) { try await queue.withdraw(id) }
        #expect(await server.requests.map(\.method) == ["POST"])
        #expect(try await queue.capture(id).facts.withdrawalWanted == nil)
        try await queue.endBackgroundUpload(upload, nil)
        try await queue.withdraw(id)
        #expect(try await queue.capture(id).isWithdrawn)
    }

    @Test("what is about to be withdrawn is not sent once more, although the server has just said that it lost it")
    func lostMeanwhile() async throws {
        let rig = try QueueRig { request in
            switch request.method {
            case "DELETE": HTTPResponse(status: 204, headers: [:], body: [])
            case "GET": .data(200, #"{"status":"failed","failure":"intake_missing"}"#)
            default: QueueRig.accepted(ContentDigest(of: request.body))
            }
        }
        let sender = try await rig.queue()
        let id = try await sender.add(SampleContent()).id
        try await sender.run(untilEmpty: true)
        let signing = SlowSigning(signing: rig.signing) {
            try await sender.askResult(id)
            // As an attempt does when it begins.
            _ = try? await sender.store.database.update(id) { row in row.state = .uploading }
        }
        let queue = CaptureQueue(store: try await rig.store.open(), signing: signing, transport: rig.server, clock: rig.clock)
        try await queue.withdraw(id)
        #expect(await rig.server.requests.map(\.method) == ["POST", "GET", "DELETE"])
        let capture = try await queue.capture(id)
        #expect(capture.state == .uploaded && capture.isWithdrawn)
    }

    @Test("what was sent stays as it was if the keys that sent it are gone")
    func keysGone() async throws {
        let (rig, queue, id) = try await sent(to: server { HTTPResponse(status: 204, headers: [:], body: []) })
        await rig.signing.script(lost: [try #require(try await queue.capture(id).device)])
        await #expect(throws: WithdrawalFailure.keysGone) { try await queue.withdraw(id) }
        #expect(try await queue.capture(id).facts.withdrawalWanted == nil)
    }

    @Test("what was not sent cannot be withdrawn; without an answer it is not known to be, and the original is kept")
    func unsent() async throws {
        let server = server { HTTPResponse(status: 204, headers: [:], body: []) }
        let rig = try QueueRig()
        let queue = try await rig.queue(server)
        let unsent = try await queue.add(SampleContent()).id
        await #expect(throws: WithdrawalFailure.notUploaded) { try await queue.withdraw(unsent) }
        try await queue.run(untilEmpty: true)
        try await queue.askResult(unsent)
        let id = try #require(try await queue.capture(unsent).serverID)
        await server.script("/api/v1/captures/\(id)", .fail(.unreachable("gone")))
        await #expect(throws: WithdrawalFailure.transport(.unreachable("gone"))) { try await queue.withdraw(unsent) }
        #expect(try await !queue.capture(unsent).isWithdrawn)
        try await expire(rig, queue, unsent)
        #expect(try await !queue.content(.photo, of: unsent).isEmpty, "it may be withdrawn all the same")
    }
}

/// Does something before it gives a signer.
private struct SlowSigning: CaptureSigning {
    let signing: ScriptedSigning
    let before: @Sendable () async throws -> Void

    func signer(for device: DeviceID) async throws -> (any RequestSigner)? {
        try await before()
        return try await signing.signer(for: device)
    }

    func currentDevice(replacing refused: DeviceID?) async throws -> DeviceID { try await signing.currentDevice(replacing: refused) }
    func assertion(over clientDataHash: ContentDigest) async -> AssertionAttempt { await signing.assertion(over: clientDataHash) }
    func forgetDevices(except needed: Set<DeviceID>) async throws { try await signing.forgetDevices(except: needed) }
}
