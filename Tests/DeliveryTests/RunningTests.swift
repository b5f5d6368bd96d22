import Delivery
import Logging
import Observability
import Synchronization
import TestSupport
import Testing

@testable import ServiceRuntime

private final class Count: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    @discardableResult func increase() -> Int {
        count.withLock {
            $0 += 1
            return $0
        }
    }
}

@Suite("Periodic tasks", .timeLimit(.minutes(1)))
struct PeriodicTaskTests {
    @Test("run at once and then after each interval, whether they fail or not")
    func repeats() async throws {
        let (clock, count) = (TestClock(isHeld: true), Count())
        let task = PeriodicTask(name: "test", every: .seconds(60), clock: clock, logger: .quiet) {
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
        let waiting = PeriodicTask(name: "test", every: .seconds(60), clock: clock, logger: .quiet) { count.increase() }
        try await shutDown(waiting) { clock.sleepers == 1 }
        #expect(count.value == 1)
        let (begun, gate) = (Count(), AsyncStream.makeStream(of: Void.self))
        let working = PeriodicTask(name: "test", every: .seconds(60), clock: clock, logger: .quiet) {
            begun.increase()
            for await _ in gate.stream {}
            count.increase()
        }
        try await shutDown(working, when: { begun.value == 1 }, then: { gate.continuation.finish() })
        #expect(count.value == 2 && begun.value == 1)
    }
}

@Suite("Draining", .timeLimit(.minutes(1)))
struct DrainTests {
    @Test("an instance that is told to end is unready at once, and goes on until balancers know")
    func drains() async throws {
        let (clock, readiness) = (TestClock(isHeld: true), Readiness(probes: [], logger: .quiet))
        let drain = Drain(readiness: readiness, duration: .seconds(10), clock: clock, logger: .quiet)
        #expect(readiness.isReady)
        async let ended: Void = shutDown(drain) { readiness.isReady }
        try await waitUntil("it drains") { clock.sleepers == 1 }
        #expect(readiness.isDraining && !readiness.isReady && clock.sleeps == [.seconds(10)])
        clock.advance(by: .seconds(10))
        try await ended
    }

    @Test("without a time it ends at once, unready as well")
    func endsAtOnce() async throws {
        let (clock, readiness) = (TestClock(isHeld: true), Readiness(probes: [], logger: .quiet))
        try await shutDown(Drain(readiness: readiness, duration: .zero, clock: clock, logger: .quiet)) { readiness.isReady }
        #expect(readiness.isDraining && clock.sleeps.isEmpty)
    }
}

@Suite("Creation of topics", .timeLimit(.minutes(1)))
struct TopicCreatorTests {
    @Test("is tried until the broker answers, and then rests until shutdown")
    func retries() async throws {
        let (clock, count) = (TestClock(), Count())
        let creator = TopicCreator(clock: clock, logger: .quiet) { if count.increase() < 6 { throw Hiccup() } }
        try await shutDown(creator) { count.value == 6 }
        #expect(count.value == 6 && clock.sleeps.count == 5)
        #expect((clock.sleeps.last ?? .zero) <= .seconds(2) && (clock.sleeps.last ?? .zero) >= .seconds(0.8))
    }

    @Test("ends at shutdown while the broker is away")
    func ends() async throws {
        let clock = TestClock(isHeld: true)
        try await shutDown(TopicCreator(clock: clock, logger: .quiet) { throw Hiccup() }) { clock.sleepers == 1 }
        #expect(clock.sleeps.count == 1)
    }

    @Test("says whether the broker could be asked")
    func says() async {
        #expect(await TopicCreator(logger: .quiet) {}.ensure())
        #expect(await !TopicCreator(logger: .quiet) { throw Hiccup() }.ensure())
    }
}
