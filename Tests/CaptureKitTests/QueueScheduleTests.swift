import CaptureProtocol
import Foundation
import Testing

@testable import CaptureKit

@Suite("The schedule of the queue")
struct QueueScheduleTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)
    private let failure = CaptureFailure(code: "unreachable", message: "")
    private let device = DeviceID()

    private func capture(
        _ position: Int64, _ state: CaptureState, kind: CaptureKind = .photo, device: DeviceID? = nil, confidence: String? = nil,
        sizes: [SealedKind: Int64] = [:]
    ) -> StoredCapture {
        let digest = ContentDigest(of: [0])
        var facts = CaptureFacts(capturedAt: now, photoDigest: digest, depthDigest: digest, metadataDigest: digest)
        facts.confidence = confidence
        if confidence != nil { facts.confirmedAt = now }
        return StoredCapture(
            id: LocalID(), position: position, kind: kind, state: state, device: device, serverID: nil, failures: 0, assertionAttempts: 0,
            sizes: sizes, facts: facts)
    }

    @Test("sends the first capture that can be sent")
    func order() {
        let captures = [capture(1, .failed), capture(2, .assertionFailed), capture(3, .pending), capture(4, .pending)]
        var schedule = QueueSchedule()
        #expect(schedule.next(captures, at: now) == .send(captures[2].id))
        schedule.hold(captures[2].id, .init(since: now, until: now.addingTimeInterval(2), endsEarly: true))
        #expect(schedule.next(captures, at: now) == .send(captures[3].id))
        #expect(schedule.next(captures, at: now.addingTimeInterval(2)) == .send(captures[2].id))
    }

    @Test("makes missing assertions before it sends, also while the server is away")
    func assertions() {
        let captures = [capture(1, .pending), capture(2, .assertionPending)]
        var schedule = QueueSchedule()
        schedule.pause(.init(since: now, until: now.addingTimeInterval(300), endsEarly: true), failure)
        #expect(schedule.next(captures, at: now) == .makeAssertion(captures[1].id))
        schedule.hold(captures[1].id, .init(since: now, until: now.addingTimeInterval(1), endsEarly: true))
        #expect(schedule.next(captures, at: now) == .wait(until: now.addingTimeInterval(1)))
    }

    @Test("makes no assertion while the device cannot be registered, and sends what is asserted")
    func registration() {
        let captures = [capture(1, .assertionPending), capture(2, .assertionPending), capture(3, .pending)]
        var schedule = QueueSchedule()
        schedule.waitForRegistration(.init(since: now, until: now.addingTimeInterval(4), endsEarly: true))
        #expect(schedule.next(captures, at: now) == .send(captures[2].id))
        #expect(schedule.next(Array(captures.prefix(2)), at: now) == .wait(until: now.addingTimeInterval(4)))
        #expect(schedule.nextTry(of: captures[1]) == now.addingTimeInterval(4))
        schedule.endEarly()
        #expect(schedule.next(captures, at: now) == .makeAssertion(captures[0].id))
    }

    @Test("waits as a whole while the server is away, until the network is back")
    func pause() {
        let captures = [capture(1, .pending), capture(2, .pending)]
        var schedule = QueueSchedule()
        schedule.pause(.init(since: now, until: now.addingTimeInterval(16), endsEarly: true), failure)
        #expect(schedule.next(captures, at: now) == .wait(until: now.addingTimeInterval(16)))
        #expect(schedule.nextTry(of: captures[1]) == now.addingTimeInterval(16))
        schedule.endEarly()
        #expect(schedule.next(captures, at: now) == .send(captures[0].id))
    }

    @Test("lets the others come before a capture whose attempt broke off, and all in order once the network is back")
    func brokenOff() {
        let captures = [capture(1, .pending), capture(2, .pending), capture(3, .pending)]
        var schedule = QueueSchedule()
        schedule.putLast(captures[0].id)
        #expect(schedule.next(captures, at: now) == .send(captures[1].id))
        schedule.putLast(captures[1].id)
        #expect(schedule.next(captures, at: now) == .send(captures[2].id))
        schedule.putLast(captures[2].id)
        #expect(schedule.next(captures, at: now) == .send(captures[0].id), "each has its turn")
        schedule.release(captures[0].id)
        schedule.putLast(captures[1].id)
        #expect(schedule.next(Array(captures.dropFirst()), at: now) == .send(captures[2].id))
        schedule.endEarly()
        #expect(schedule.next(captures, at: now) == .send(captures[0].id))
    }

    @Test("waits as long as the server asks, even if the network comes back")
    func serverAsked() {
        let one = capture(1, .pending)
        var schedule = QueueSchedule()
        schedule.pause(.init(since: now, until: now.addingTimeInterval(60), endsEarly: false), failure)
        schedule.endEarly()
        #expect(schedule.next([one], at: now) == .wait(until: now.addingTimeInterval(60)))
        #expect(schedule.next([one], at: now.addingTimeInterval(60)) == .send(one.id))
    }

    @Test("leaves captures of a revoked device, and sends those of others")
    func revoked() {
        let captures = [capture(1, .pending, device: device), capture(2, .pending, device: DeviceID())]
        var schedule = QueueSchedule()
        schedule.stop(device)
        #expect(schedule.next(captures, at: now) == .send(captures[1].id))
        #expect(!schedule.hasWork([captures[0]]))
        #expect(schedule.hasWork(captures))
    }

    @Test("asks for results after everything is sent, less and less often")
    func results() {
        let uploaded = capture(1, .uploaded)
        var schedule = QueueSchedule()
        let other = capture(2, .pending)
        #expect(schedule.next([uploaded, other], at: now) == .send(other.id))
        #expect(schedule.next([uploaded], at: now) == .askResult(uploaded.id))
        for delay in [1.0, 2, 4, 8, 16, 32, 60, 60] {
            schedule.resultNotFinal(uploaded.id, at: now)
            #expect(schedule.next([uploaded], at: now) == .wait(until: now.addingTimeInterval(delay)))
        }
        #expect(schedule.next([capture(1, .uploaded, confidence: "high")], at: now) == .wait(until: nil))
    }

    @Test("asks once a day for a result that is known, whatever the clock does, for as long as photo and depth map are to go")
    func resultsAgain() {
        let here = capture(1, .uploaded, confidence: "high", sizes: [.photo: 1, .depth: 1])
        let gone = capture(2, .uploaded, confidence: "high", sizes: [.thumbnail: 1])
        let kept = capture(3, .uploaded, kind: .hashOnly, confidence: "high", sizes: [.payload: 1])
        let schedule = QueueSchedule()
        for hours in [-25.0, -23, 0, 23, 25] {
            let expected: QueueSchedule.Step = abs(hours) > 24 ? .askResult(here.id) : .wait(until: nil)
            #expect(schedule.next([gone, kept, here], at: now.addingTimeInterval(hours * 3600)) == expected, "\(hours)")
        }
        // Those that are to go wait no day for the answer that lets them.
        for (minutes, expected) in [(59.0, QueueSchedule.Step.wait(until: nil)), (61, .askResult(here.id))] {
            #expect(schedule.next([here], at: now.addingTimeInterval(minutes * 60), isDue: { _ in true }) == expected, "\(minutes)")
        }
    }

    @Test("asks again for a known result after a second, and after up to an hour if it is not told")
    func unanswered() {
        let here = capture(1, .uploaded, confidence: "high", sizes: [.photo: 1, .depth: 1])
        var schedule = QueueSchedule()
        let later = now.addingTimeInterval(90_000)
        for _ in 0..<20 { schedule.resultNotFinal(here.id, at: later, isPatient: true) }
        #expect(schedule.next([here], at: later) == .wait(until: later.addingTimeInterval(3600)))
    }

    @Test("does not wait for hours because the device's clock was set back", arguments: [-1.0, -3600, -90_000])
    func clockSetBack(seconds: TimeInterval) {
        let (photo, video) = (capture(1, .pending), capture(2, .pending, kind: .video))
        let (unsigned, uploaded) = (capture(3, .assertionPending), capture(4, .uploaded))
        let wait = QueueSchedule.Wait(since: now, until: now.addingTimeInterval(10), endsEarly: false)
        let waits: [(StoredCapture, QueueSchedule.Step, (inout QueueSchedule) -> Void)] = [
            (photo, .send(photo.id), { $0.hold(photo.id, wait) }),
            (photo, .send(photo.id), { $0.pause(wait, failure) }),
            (video, .send(video.id), { $0.holdVideos(wait) }),
            (unsigned, .makeAssertion(unsigned.id), { $0.waitForRegistration(wait) }),
            (uploaded, .askResult(uploaded.id), { $0.resultNotFinal(uploaded.id, at: now) }),
        ]
        for (capture, step, begin) in waits {
            var schedule = QueueSchedule()
            begin(&schedule)
            #expect(schedule.next([capture], at: now) != step)
            #expect(schedule.next([capture], at: now.addingTimeInterval(seconds)) == step)
        }
    }
}
