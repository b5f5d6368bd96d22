import CaptureProtocol
import Foundation
import Testing

@testable import Gateway

@Suite("How long a stream of events waits for the log")
struct LogWaitTests {
    /// What a capture is that is looked at, how old its end is by the two clocks, and when that is, in seconds from the stream's beginning.
    private typealias Look = (status: CaptureStatus, age: Double, seconds: Double)

    /// Whether the wait is over at each look.
    private func answers(_ looks: [Look]) -> [Bool] {
        let start = ContinuousClock.now
        var wait = LogWait()
        var answers: [Bool] = []
        for look in looks {
            let time = now.addingTimeInterval(look.seconds)
            answers.append(
                wait.isOver(
                    look.status, finalAt: time.addingTimeInterval(-look.age), at: time, start.advanced(by: .seconds(look.seconds))))
        }
        return answers
    }

    @Test(
        "one that saw the capture in processing waits a minute from then, however far the database's clock is from the gateway's",
        arguments: [-180.0, 0, 180])
    func followed(ahead: Double) {
        let looks: [Look] = [
            (.processing, 0, 0), (.processing, 0, 100), (.complete, ahead, 110), (.complete, ahead + 59, 169), (.complete, ahead + 60, 170),
        ]
        #expect(answers(looks) == [false, false, false, false, true])
    }

    @Test("one of a capture that was final before waits for what is left of the minute")
    func late() {
        #expect(answers([(.complete, 3600, 0)]) == [true])
        #expect(answers([(.complete, 20, 0), (.complete, 59, 39), (.complete, 60, 40)]) == [false, false, true])
    }

    @Test("one of a capture that will be final by the gateway's clock waits no longer than a minute")
    func future() {
        #expect(answers([(.complete, -180, 0), (.complete, -121, 59), (.complete, -120, 60)]) == [false, false, true])
    }
}
