import CaptureProtocol
import Models
import Synchronization
import TestSupport
import Testing

@testable import Delivery
@testable import Messaging

@Suite("Shutdown of a consumer", .timeLimit(.minutes(1)))
struct ConsumerShutdownTests {
    @Test("ends the wait for a record at once")
    func idle() async throws {
        let delivery = ScriptedDelivery([.received(0)])
        try await delivery.run { delivery.source.stored == [0] }
        #expect(delivery.source.isClosed)
    }

    @Test("lets the record in hand be finished and stores its offset, and begins no other")
    func finishes() async throws {
        let gate = Gate()
        let delivery = ScriptedDelivery([.received(0), .received(1)]) { _, _ in await gate.pass() }
        try await delivery.run(until: { gate.isReached }, then: { gate.open() })
        #expect(delivery.source.stored == [0] && delivery.handler.log.calls.count == 1 && delivery.source.isClosed)
    }

    @Test("leaves a record that fails to the next process, and takes that for no death")
    func interrupted() async throws {
        let event = EventID()
        let gate = Gate()
        let delivery = ScriptedDelivery([.received(0, event: event)]) { _, _ in
            await gate.pass()
            throw Hiccup()
        }
        try await delivery.run(until: { gate.isReached }, then: { gate.open() })
        #expect(delivery.source.stored.isEmpty && delivery.ledger.letters.isEmpty && delivery.ledger.tries == [event: 0])
    }

    @Test("lays down a record whose handling is cancelled, which is no death either")
    func cancelled() async throws {
        let event = EventID()
        let gate = Gate()
        let delivery = ScriptedDelivery([.received(0, event: event)]) { _, _ in
            await gate.pass()
            try Task.checkCancellation()
        }
        let service = ConsumerService(
            service: .depthAnalyzer, handler: delivery.handler, consumers: 1, ledger: delivery.ledger, clock: delivery.clock,
            logger: delivery.logger
        ) { delivery.source }
        let running = Task { try await service.run() }
        try await waitUntil("in hand") { gate.isReached }
        running.cancel()
        _ = await running.result
        #expect(delivery.ledger.tries == [event: 0] && delivery.source.stored.isEmpty && delivery.ledger.letters.isEmpty)
    }

    @Test("cuts a wait between two tries short")
    func waiting() async throws {
        let event = EventID()
        let clock = TestClock(isHeld: true)
        let delivery = ScriptedDelivery([.received(0, event: event)], clock: clock) { _, _ in throw Hiccup() }
        try await delivery.run { clock.sleepers == 1 }
        #expect(delivery.source.stored.isEmpty && delivery.ledger.tries == [event: 0] && delivery.source.isClosed)
    }

    @Test("leaves a dead letter that cannot be stored to the next process")
    func letter() async throws {
        let clock = TestClock(isHeld: true)
        let delivery = ScriptedDelivery([.received(0, value: nil)], clock: clock)
        delivery.ledger.fail(with: [Hiccup()])
        try await delivery.run { clock.sleepers == 1 }
        #expect(delivery.source.stored.isEmpty && delivery.ledger.letters.isEmpty)
    }

    @Test("closes every member")
    func members() async throws {
        let sources = [MemoryRecordSource(), MemoryRecordSource(), MemoryRecordSource()]
        let opened = Mutex(0)
        let delivery = ScriptedDelivery([])
        let service = ConsumerService(
            service: .depthAnalyzer, handler: delivery.handler, consumers: 3, ledger: delivery.ledger, logger: delivery.logger
        ) {
            sources[
                opened.withLock { count in
                    defer { count += 1 }
                    return count
                }]
        }
        try await shutDown(service) { opened.withLock { $0 } == 3 }
        #expect(sources.allSatisfy { $0.isClosed })
    }
}
