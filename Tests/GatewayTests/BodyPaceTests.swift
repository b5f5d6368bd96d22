import NIOCore
import Testing

@testable import Gateway
@testable import ServiceRuntime

@Suite("The pace of bodies")
struct BodyPaceTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000)

    @Test(
        "has a deadline of 15 s and a second for each 50 kB, at most ten minutes",
        arguments: [
            (0, 15.0), (1, 15.00002), (50_000, 16), (3_000_000, 75), (29_250_000, 600), (29_250_001, 600), (Int64.max, 600), (nil, 600),
            (-1, 600), (Int64.min, 600),
        ] as [(Int64?, Double)])
    func deadline(length: Int64?, seconds: Double) {
        #expect(BodyPace(length: length).allowed == .nanoseconds(Int64((seconds * 1e9).rounded())))
    }

    @Test("is late when the deadline is over, however fast it was")
    func late() {
        let pace = Body(length: 50_000)
        pace.wait(at: start)
        var now = start
        for _ in 0..<3 {
            now = now + .seconds(5)
            pace.receive(20_000)
            #expect(pace.failure(at: now) == nil)
        }
        #expect(pace.timeout(at: now) == .seconds(1))
        #expect(pace.failure(at: now + .seconds(1)) == .late)
    }

    @Test("is slow when less than the least rate came in a window: a byte each twelve seconds is")
    func slow() {
        let pace = Body(length: 20_000_000)
        pace.wait(at: start)
        pace.receive(1)
        #expect(pace.failure(at: start + .seconds(12)) == nil)
        pace.receive(1)
        #expect(pace.timeout(at: start + .seconds(12)) == .seconds(3))
        #expect(pace.failure(at: start + .seconds(15)) == .slow)
    }

    @Test("lives on a bad network: long pauses between bursts are no matter")
    func pauses() {
        let pace = Body(length: 20_000_000)
        pace.wait(at: start)
        for second in stride(from: Int64(14), through: 14 * 25, by: 14) {
            pace.receive(BodyPace.leastBytes)
            #expect(pace.failure(at: start + .seconds(second)) == nil)
        }
    }

    @Test("only waiting for the client counts: what the store takes is not the client's")
    func waiting() {
        let pace = Body(length: 0)
        pace.wait(at: start)
        pace.pause(at: start + .seconds(5))
        #expect(pace.timeout(at: start + .seconds(500)) == nil)
        #expect(pace.failure(at: start + .seconds(500)) == nil)
        pace.wait(at: start + .seconds(500))
        #expect(pace.failure(at: start + .seconds(509)) == nil)
        #expect(pace.failure(at: start + .seconds(510)) == .late)
    }

    @Test("a clock that stands still or goes back costs nothing")
    func clock() {
        let pace = Body(length: nil)
        pace.wait(at: start + .seconds(10))
        #expect(pace.failure(at: start) == nil)
        #expect(pace.timeout(at: start) == .seconds(15))
    }
}

@Suite("The pace of answers")
struct ResponsePaceTests {
    @Test("is too slow when something waited through a window and too little left")
    func slow() {
        let pace = Answer()
        pace.write(1_000_000)
        // The transfer began in this window, so it is assessed only in the next one.
        #expect(!pace.isTooSlow(waiting: 900_000))
        #expect(!pace.isTooSlow(waiting: 900_000 - ResponsePace.leastBytes))
        #expect(pace.isTooSlow(waiting: 900_001 - 2 * ResponsePace.leastBytes))
    }

    @Test("is kept by the store's connection, which waits while the slowest client takes all that was read of it")
    func store() {
        let least = Double(ResponsePace.leastBytes) / Double(ResponsePace.window.nanoseconds)
        #expect(Double(StorageConnections.mediaReadTimeout.nanoseconds) * least > Double(StorageConnections.mediaReadBytes))
    }

    @Test("what is written meanwhile counts by what leaves")
    func writing() {
        let pace = Answer()
        pace.write(70_000)
        #expect(!pace.isTooSlow(waiting: 70_000))
        pace.write(60_000)
        #expect(!pace.isTooSlow(waiting: 70_000))
        pace.write(10_000)
        #expect(pace.isTooSlow(waiting: 70_000))
    }

    @Test("an answer that has nothing to send is not slow")
    func idle() {
        let pace = Answer()
        for _ in 0..<10 { #expect(!pace.isTooSlow(waiting: 0)) }
        pace.write(10)
        #expect(!pace.isTooSlow(waiting: 10))
        // The transfer has ended, and other bytes came late in the window.
        pace.write(10)
        #expect(!pace.isTooSlow(waiting: 0))
    }
}

// A class, since an expectation cannot mutate a captured value.
private final class Body {
    private var pace: BodyPace
    init(length: Int64?) { pace = BodyPace(length: length) }

    func wait(at now: NIODeadline) { pace.wait(at: now) }
    func pause(at now: NIODeadline) { pace.pause(at: now) }
    func receive(_ bytes: Int) { pace.receive(bytes) }
    func failure(at now: NIODeadline) -> BodyPace.Failure? { pace.failure(at: now) }
    func timeout(at now: NIODeadline) -> TimeAmount? { pace.timeout(at: now) }
}

private final class Answer {
    private var pace = ResponsePace()

    func write(_ bytes: Int) { pace.write(bytes) }
    func isTooSlow(waiting bytes: Int) -> Bool { pace.isTooSlow(waiting: bytes) }
}
