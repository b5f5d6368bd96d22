import Delivery
import Logging
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

private final class Count: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    @discardableResult func increase() -> Int {
        count.withLock {
            $0 += 1; return $0
        }
    }
}

private let quiet = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }

@Suite("Periodic tasks", .timeLimit(.minutes(1)))
struct PeriodicTaskTests {
    @Test("run at once and then after each interval, whether they fail or not")
    func repeats() async throws {
        let (clock, count) = (TestClock(isHeld: true), Count())
        let task = PeriodicTask(name: "test", every: .seconds(60), clock: clock, logger: quiet) {
            if count.increase() == 2 { throw Hiccup() }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await task.run() }
            for turn in 1...4 {
                try await waitUntil("turn \(turn)") { count.value == turn && clock.sleepers == 1 }
                clock.advance(by: .seconds(59))
                #expect(clock.sleepers == 1)
                clock.advance(by: .seconds(1))
            }
            group.cancelAll()
        }
        #expect(clock.sleeps.allSatisfy { $0 == .seconds(60) })
    }

    @Test("end at shutdown while they wait, and finish a turn before they do")
    func ends() async throws {
        let (clock, count) = (TestClock(isHeld: true), Count())
        let waiting = PeriodicTask(name: "test", every: .seconds(60), clock: clock, logger: quiet) { count.increase() }
        try await shutDown(waiting) { clock.sleepers == 1 }
        #expect(count.value == 1)
        let (begun, gate) = (Count(), AsyncStream.makeStream(of: Void.self))
        let working = PeriodicTask(name: "test", every: .seconds(60), clock: clock, logger: quiet) {
            begun.increase()
            for await _ in gate.stream {}
            count.increase()
        }
        try await shutDown(working, when: { begun.value == 1 }, then: { gate.continuation.finish() })
        #expect(count.value == 2 && begun.value == 1)
    }
}

@Suite("Creation of topics", .timeLimit(.minutes(1)))
struct TopicCreatorTests {
    @Test("is tried until the broker answers, and then rests until shutdown")
    func retries() async throws {
        let (clock, count) = (TestClock(), Count())
        let creator = TopicCreator(clock: clock, logger: quiet) { if count.increase() < 6 { throw Hiccup() } }
        try await shutDown(creator) { count.value == 6 }
        #expect(count.value == 6 && clock.sleeps.count == 5)
        #expect((clock.sleeps.last ?? .zero) <= .seconds(2) && (clock.sleeps.last ?? .zero) >= .seconds(0.8))
    }

    @Test("ends at shutdown while the broker is away")
    func ends() async throws {
        let clock = TestClock(isHeld: true)
        try await shutDown(TopicCreator(clock: clock, logger: quiet) { throw Hiccup() }) { clock.sleepers == 1 }
        #expect(clock.sleeps.count == 1)
    }

    @Test("says whether the broker could be asked")
    func says() async {
        #expect(await TopicCreator(logger: quiet) {}.ensure())
        #expect(await !TopicCreator(logger: quiet) { throw Hiccup() }.ensure())
    }
}
