import CaptureProtocol
import Foundation
import Synchronization
import Testing

@testable import CaptureKit

@Suite("Results of captures that were sent")
struct QueueResultTests {
    @Test(
        "are asked for again after a pause while they are not final, whatever the server says",
        arguments: [
            #"{"status":"processing"}"#, #"{"status":"complete"}"#, #"{"status":"complete","confidence_level":null}"#,
            #"{"status":"withdrawn"}"#,
        ])
    func notFinal(data: String) async throws {
        let rig = try QueueRig { request in
            request.method == "GET" ? .data(200, data) : QueueRig.accepted(ContentDigest(of: request.body))
        }
        let queue = try await rig.queue()
        let id = try await queue.add(SampleContent()).id
        try await queue.run(untilEmpty: true)
        for pause in [1.0, 2, 4] {
            try await queue.askResult(id)
            let (captures, now) = (try await queue.store.captures(), rig.clock.now)
            #expect(captures.map(\.state) == [.uploaded] && captures.allSatisfy { !$0.facts.isFinal })
            #expect(await queue.schedule.next(captures, at: now) == .wait(until: now.addingTimeInterval(pause)))
        }
    }

    private static let complete = HTTPResponse.data(200, #"{"status":"complete","confidence_level":"high"}"#)
    private static let unknown = HTTPResponse.error(404, "CAPTURE_NOT_FOUND")

    private static func failed(_ reason: String) -> HTTPResponse { .data(200, #"{"status":"failed","failure":"\#(reason)"}"#) }

    /// A queue whose only capture has been sent to a server that gives these results in turn, the last one for good.
    private static func sent(_ results: HTTPResponse...) async throws -> (QueueRig, CaptureQueue, LocalID) {
        let left = Mutex(results)
        let rig = try QueueRig { request in
            guard request.method == "GET" else { return QueueRig.accepted(ContentDigest(of: request.body)) }
            return left.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
        }
        let queue = try await rig.queue()
        let id = try await queue.add(SampleContent()).id
        try await queue.run(untilEmpty: true)
        return (rig, queue, id)
    }

    private func expire(_ rig: QueueRig, _ queue: CaptureQueue) async throws {
        try await queue.store.expire(at: rig.clock.now.addingTimeInterval(8 * 86_400))
    }

    @Test("that are failed are asked for on, and photo and depth map stay until the server has repaired them")
    func repairedByServer() async throws {
        let (rig, queue, id) = try await Self.sent(Self.failed("handling_failed"), Self.complete)
        try await queue.askResult(id)
        let failed = try await queue.capture(id)
        #expect(failed.state == .uploaded && failed.facts.failedOnServer == true && !failed.facts.isFinal)
        let now = rig.clock.now
        #expect(await queue.schedule.next([failed], at: now) == .wait(until: now.addingTimeInterval(1)))
        try await expire(rig, queue)
        #expect(try await queue.capture(id).hasContent)
        try await queue.askResult(id)
        let repaired = try await queue.capture(id)
        #expect(repaired.facts.isFinal && repaired.facts.confidence == "high" && repaired.facts.failedOnServer == false)
        #expect(await rig.uploads.count == 1)
        try await expire(rig, queue)
        #expect(try await queue.capture(id).hasContent, "the server was not asked since")
        try await rig.clock.sleep(for: .seconds(8 * 86_400))
        try await queue.askResult(id)
        try await queue.store.expire(at: rig.clock.now)
        #expect(try await !queue.capture(id).hasContent, "the server has it")
    }

    @Test("that are failed are sent once more if a person tries again, with the same bytes", arguments: [failed("process_died"), unknown])
    func retried(answer: HTTPResponse) async throws {
        let (rig, queue, id) = try await Self.sent(answer, Self.complete)
        let serverID = try #require(try await queue.capture(id).serverID)
        try await queue.store.database.update(id) { row in row.facts.repairs = ChangedRow.maximumRepairs }
        try await queue.askResult(id)
        #expect(try await queue.capture(id).state == .uploaded)
        try await expire(rig, queue)
        try await queue.retry(id)
        #expect(try await queue.capture(id).state == .pending)
        try await queue.run(untilEmpty: true)
        #expect(await rig.uploads.count == 2)
        #expect(Set(await rig.uploads.map(\.body)).count == 1)
        let again = try await queue.capture(id)
        #expect(again.state == .uploaded && again.serverID == serverID && !again.facts.isBadOnServer)
        try await queue.askResult(id)
        #expect(try await queue.capture(id).facts.confidence == "high")
        try await queue.retry(id)
        #expect(try await queue.capture(id).state == .uploaded, "nothing is to be repaired")
    }

    @Test(
        "are sent once more without a person if the server has lost what was sent, at most three times, also by other processes",
        arguments: [failed("intake_missing"), failed("digest_mismatch"), unknown])
    func lostByServer(answer: HTTPResponse) async throws {
        let (rig, queue, id) = try await Self.sent(answer)
        for expected in 2...4 {
            let next = try await rig.queue()
            try await next.askResult(id)
            #expect(try await next.capture(id).state == .pending)
            try await next.run(untilEmpty: true)
            #expect(await rig.uploads.count == expected)
            // The server has not done it yet, and says what it said before.
            try await next.askResult(id)
            #expect(try await next.capture(id).state == .uploaded)
            try await rig.clock.sleep(for: .seconds(601))
        }
        try await queue.askResult(id)
        #expect(try await queue.capture(id).state == .uploaded)
        #expect(Set(await rig.uploads.map(\.body)).count == 1)
        try await expire(rig, queue)
        #expect(try await queue.capture(id).hasContent, "a person may still do so")
    }

    @Test("that are bad are asked for once an hour in the end", arguments: [failed("undecodable"), unknown])
    func seldom(answer: HTTPResponse) async throws {
        let (rig, queue, id) = try await Self.sent(answer)
        try await queue.store.database.update(id) { row in row.facts.repairs = ChangedRow.maximumRepairs }
        for _ in 0..<14 { try await queue.askResult(id) }
        let (captures, now) = (try await queue.store.captures(), rig.clock.now)
        #expect(await queue.schedule.next(captures, at: now) == .wait(until: now.addingTimeInterval(3600)))
    }

    @Test("an attempt that ends late, without an answer, does not take the server's answer away")
    func lateEnd() async throws {
        let (_, queue, id) = try await Self.sent(Self.complete)
        await #expect(throws: StoreError.notAllowed(.uploaded, to: .pending)) {
            try await queue.store.database.update(id) { row in row.state = .pending }
        }
        #expect(try await queue.capture(id).state == .uploaded)
    }

    @Test(
        "are left as they are when the answer is not about the capture, or its parts are not here any more",
        arguments: [(HTTPResponse(status: 404, headers: [:], body: []), true), (unknown, false), (failed("intake_missing"), false)])
    func notRepaired(answer: HTTPResponse, hasContent: Bool) async throws {
        let (rig, queue, id) = try await Self.sent(answer)
        if !hasContent {
            let later = rig.clock.now.addingTimeInterval(8 * 86_400)
            try await queue.store.database.update(id) { row in
                row.facts.confidence = "high"
                row.facts.confirmedAt = later
            }
            try await expire(rig, queue)
        }
        #expect(try await queue.capture(id).hasContent == hasContent)
        try await queue.askResult(id)
        try await queue.retry(id)
        try await queue.run(untilEmpty: true)
        #expect(try await queue.capture(id).state == .uploaded)
        #expect(await rig.uploads.count == 1)
    }

    @Test(
        "that nobody asked for in a week are asked for before photo and depth map go, which are sent once more if the server lost them",
        .timeLimit(.minutes(1)), arguments: [false, true])
    func lostLongAgo(untilEmpty: Bool) async throws {
        let (rig, queue, id) = try await Self.sent(Self.failed("intake_missing"), Self.complete)
        try await rig.clock.sleep(for: .seconds(8 * 86_400))
        if untilEmpty {
            try await queue.run(untilEmpty: true)
        } else {
            let sending = Task { try await queue.run() }
            for try await snapshot in queue.snapshots {
                let capture = snapshot.captures.first?.capture
                if capture?.facts.confidence != nil || capture?.hasContent != true { break }
            }
            sending.cancel()
            _ = await sending.result
        }
        #expect(await rig.uploads.count == 2)
        let capture = try await queue.capture(id)
        #expect(capture.state == .uploaded && capture.hasContent)
    }

    @Test("that nobody asked for in a week are asked for once by a run that ends, and photo and depth map go at once if they are good")
    func goodLongAgo() async throws {
        let (rig, queue, id) = try await Self.sent(.data(200, #"{"status":"processing"}"#), Self.complete)
        try await queue.run(untilEmpty: true)
        let requests = await rig.server.requests.count
        #expect(requests == 1, "not before")
        try await rig.clock.sleep(for: .seconds(8 * 86_400))
        for hasContent in [true, false] {
            try await rig.clock.sleep(for: .seconds(2))
            try await queue.run(untilEmpty: true)
            #expect(try await queue.capture(id).hasContent == hasContent)
        }
        #expect(await rig.server.requests.count == requests + 2)
    }

    /// Sent, and known to be complete when the server gives another answer a week later.
    /// - Parameter isOfEarlierVersion: which did not note when that was known.
    private static func answeredLongAgo(
        _ answer: HTTPResponse, isOfEarlierVersion: Bool
    ) async throws -> (QueueRig, CaptureQueue, LocalID) {
        let (rig, queue, id) = try await sent(complete, answer)
        try await queue.askResult(id)
        #expect(try await queue.capture(id).facts.isFinal)
        if isOfEarlierVersion { try await queue.store.database.update(id) { row in row.facts.confirmedAt = nil } }
        try await rig.clock.sleep(for: .seconds(8 * 86_400))
        try await queue.run(untilEmpty: true)
        return (rig, queue, id)
    }

    @Test("that are good are asked for again before photo and depth map go, which are sent once more if the server lost them since")
    func lostSince() async throws {
        for isOfEarlierVersion in [false, true] {
            let (rig, queue, id) = try await Self.answeredLongAgo(Self.unknown, isOfEarlierVersion: isOfEarlierVersion)
            #expect(await rig.uploads.count == 2)
            let capture = try await queue.capture(id)
            #expect(capture.state == .uploaded && capture.hasContent && !capture.facts.isFinal)
        }
    }

    @Test("that are good are asked for again before photo and depth map go, which stay if the capture was withdrawn since")
    func withdrawnSince() async throws {
        for isOfEarlierVersion in [false, true] {
            let (rig, queue, id) = try await Self.answeredLongAgo(.error(410, "GONE"), isOfEarlierVersion: isOfEarlierVersion)
            #expect(await rig.uploads.count == 1)
            let capture = try await queue.capture(id)
            #expect(capture.isWithdrawn && capture.hasContent)
        }
    }

    @Test("that are good are asked for again once before photo and depth map go, and no more afterwards")
    func goodSince() async throws {
        for isOfEarlierVersion in [false, true] {
            let (rig, queue, id) = try await Self.answeredLongAgo(Self.complete, isOfEarlierVersion: isOfEarlierVersion)
            #expect(try await !queue.capture(id).hasContent)
            try await rig.clock.sleep(for: .seconds(8 * 86_400))
            try await queue.run(untilEmpty: true)
            #expect(await rig.server.requests.map(\.method) == ["POST", "GET", "GET"])
        }
    }

    @Test("that were good are asked for on when the server does not know them any more, also after the last attempt to repair that")
    func lostForGood() async throws {
        let (rig, queue, id) = try await Self.sent(Self.complete, Self.unknown)
        try await queue.store.database.update(id) { row in row.facts.repairs = ChangedRow.maximumRepairs }
        for _ in 1...2 { try await queue.askResult(id) }
        let capture = try await queue.capture(id)
        #expect(capture.state == .uploaded && !capture.facts.isFinal)
        try await rig.clock.sleep(for: .seconds(1))
        #expect(await queue.schedule.next([capture], at: rig.clock.now) == .askResult(id))
    }

    @Test("that were to be sent once more can be withdrawn, and are not sent then")
    func withdrawnMeanwhile() async throws {
        let (rig, queue, id) = try await Self.sent(Self.failed("intake_missing"))
        let serverID = try #require(try await queue.capture(id).serverID)
        try await queue.askResult(id)
        await rig.server.script("/api/v1/captures/\(serverID)", .answer(HTTPResponse(status: 204, headers: [:], body: [])))
        try await queue.withdraw(id)
        #expect(try await queue.capture(id).isWithdrawn)
        try await queue.run(untilEmpty: true)
        await #expect(throws: StoreError.notAllowed(.pending, to: .uploading)) { try await queue.attempt(id) }
        await #expect(throws: StoreError.notAllowed(.pending, to: .uploading)) { try await queue.lendForBackground(id) }
        #expect(await rig.uploads.count == 1)
        #expect(try await queue.capture(id).hasContent)
    }

    @Test("that were to be sent once more are not sent, nor lent, if the server has withdrawn them meanwhile", arguments: [false, true])
    func withdrawnOnServerMeanwhile(isLent: Bool) async throws {
        let (rig, queue, id) = try await Self.sent(Self.failed("intake_missing"), .error(410, "GONE"))
        try await queue.askResult(id)
        #expect(try await queue.capture(id).state == .pending)
        if isLent {
            await #expect(throws: StoreError.notAllowed(.pending, to: .uploading)) { try await queue.lendForBackground(id) }
        }
        try await queue.run(untilEmpty: true)
        let capture = try await queue.capture(id)
        #expect(capture.isWithdrawn && capture.hasContent)
        #expect(await rig.server.requests.map(\.method) == ["POST", "GET", "GET"])
    }

    @Test("that were to be sent once more are not sent after their person withdrew them unheard, and then tried again")
    func withdrawnUnheard() async throws {
        let (rig, queue, id) = try await Self.sent(Self.failed("intake_missing"), .error(410, "GONE"))
        let serverID = try #require(try await queue.capture(id).serverID)
        try await queue.askResult(id)
        await rig.server.script(APIPath.capture(serverID), .loseAnswer)
        await #expect(throws: WithdrawalFailure.transport(.unreachable("the answer was lost"))) { try await queue.withdraw(id) }
        try await queue.retry(id)
        try await queue.run(untilEmpty: true)
        let capture = try await queue.capture(id)
        #expect(capture.isWithdrawn && capture.hasContent)
        #expect(await rig.uploads.count == 1)
    }

    @Test("that were to be sent once more wait until the server can be asked whether they were withdrawn")
    func notAskedYet() async throws {
        let (rig, queue, id) = try await Self.sent(Self.failed("intake_missing"), Self.complete)
        let serverID = try #require(try await queue.capture(id).serverID)
        try await queue.askResult(id)
        await rig.server.script(
            APIPath.capture(serverID), .fail(.unreachable("")), .answer(.error(503, "SERVICE_UNAVAILABLE")), .fail(.unreachable("")))
        await #expect(throws: TransportFailure.unreachable("")) { try await queue.lendForBackground(id) }
        await #expect(throws: TransportFailure.unreachable("status 503")) { try await queue.lendForBackground(id) }
        try await queue.attempt(id)
        let waiting = try await queue.capture(id)
        #expect(waiting.state == .pending && waiting.failures == 0 && waiting.facts.failure?.code == "unreachable")
        #expect(waiting.facts.sentAt == nil, "nothing was sent that could have arrived")
        let pause = await queue.schedule.pause
        #expect(pause?.failure.code == "unreachable")
        #expect(await rig.uploads.count == 1)
        try await queue.run(untilEmpty: true)
        #expect(await rig.uploads.count == 2)
    }
}
