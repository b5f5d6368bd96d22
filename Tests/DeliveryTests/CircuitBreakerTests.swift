import Synchronization
import Testing

@testable import ServiceRuntime

@Suite("Circuit breaker")
struct CircuitBreakerTests {
    /// A clock that is advanced by the test.
    private final class Clock: Sendable {
        private let time = Mutex(ContinuousClock.now)
        func advance(_ seconds: Int) { time.withLock { $0 = $0.advanced(by: .seconds(seconds)) } }
        var now: ContinuousClock.Instant { time.withLock { $0 } }
    }
    private let clock = Clock()

    private func breaker() -> CircuitBreaker {
        CircuitBreaker(dependency: "test", pause: .seconds(5), longestPause: .seconds(20), now: { [clock] in clock.now })
    }

    @Test("lets calls pass until one fails, then none before the pause is over, and then one trial")
    func opens() {
        let breaker = breaker()
        #expect(breaker.state == .closed && breaker.mayPass(isTrial: false) && breaker.mayPass(isTrial: false))
        breaker.fail()
        #expect(breaker.state == .open && !breaker.mayPass(isTrial: true) && !breaker.mayPass(isTrial: false))
        clock.advance(4)
        #expect(!breaker.mayPass(isTrial: true))
        clock.advance(1)
        #expect(!breaker.mayPass(isTrial: false), "who could go on waits for nobody")
        #expect(breaker.mayPass(isTrial: true) && breaker.state == .halfOpen)
        #expect(!breaker.mayPass(isTrial: true) && !breaker.mayPass(isTrial: false), "one trial at a time")
    }

    @Test("closes when a trial is answered, and begins anew with the first pause")
    func closes() {
        let breaker = breaker()
        for _ in 0..<2 {
            breaker.fail()
            clock.advance(5)
            #expect(breaker.mayPass(isTrial: true))
            breaker.succeed()
            #expect(breaker.state == .closed && breaker.mayPass(isTrial: false))
        }
    }

    @Test("waits twice as long after each trial that fails, up to a bound")
    func backsOff() {
        let breaker = breaker()
        breaker.fail()
        for pause in [5, 10, 20, 20] {
            // Results of earlier calls have no effect.
            breaker.fail()
            clock.advance(pause - 1)
            #expect(!breaker.mayPass(isTrial: true), "\(pause)")
            clock.advance(1)
            #expect(breaker.mayPass(isTrial: true), "\(pause)")
            breaker.fail()
        }
    }

    @Test("makes up for a trial that was not made after all")
    func abandons() {
        let breaker = breaker()
        breaker.abandon()
        #expect(breaker.state == .closed)
        breaker.fail()
        clock.advance(5)
        #expect(breaker.mayPass(isTrial: true))
        breaker.abandon()
        #expect(breaker.state == .open && breaker.mayPass(isTrial: true))
    }
}
