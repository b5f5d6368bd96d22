import CaptureProtocol
import Models
import ObjectStorage
import Persistence
import Synchronization
import TestSupport
import Testing

@testable import Delivery
@testable import Messaging

@Suite("Consumers of a topic", .timeLimit(.minutes(1)))
struct ConsumerServiceTests {
    private static let away: [any Error] = [
        ObjectStorageError(.unavailable, "away"), PostgresError(code: .connectionFailed, message: "away"),
        DependencyUnavailable("signer", "away"),
    ]

    @Test("handle records in their order, and store each offset after its record")
    func inOrder() async throws {
        let events = [EventID(), EventID(), EventID()]
        let stored = Mutex<[[Int64]]>([])
        let source = Mutex<MemoryRecordSource?>(nil)
        let delivery = ScriptedDelivery(events.enumerated().map { .received(Int64($0), event: $1) }) { _, _ in
            stored.withLock { all in all.append(source.withLock { $0 }?.stored ?? []) }
        }
        source.withLock { $0 = delivery.source }
        try await delivery.run { delivery.source.stored == [0, 1, 2] }
        #expect(delivery.handler.log.calls == events)
        #expect(stored.withLock { $0 } == [[], [0], [0, 1]])
        #expect(delivery.source.isClosed && delivery.ledger.letters.isEmpty && delivery.clock.sleeps.isEmpty)
    }

    @Test("try what fails again, each time after a longer wait, and give it up after six tries")
    func retries() async throws {
        let delivery = ScriptedDelivery([.received(0), .received(1)]) { _, _ in throw Hiccup() }
        try await delivery.run { delivery.source.stored == [0, 1] }
        #expect(delivery.handler.log.calls.count == 12 && delivery.clock.sleeps.count == 10)
        let spans = [0.1, 0.2, 0.4, 0.8, 1.6]
        for (sleep, span) in zip(delivery.clock.sleeps, spans + spans) {
            #expect((.seconds(span / 2)...(.seconds(span))).contains(sleep))
        }
        #expect(delivery.ledger.letters.map(\.rejection.reason) == [.handlingFailed, .handlingFailed])
        #expect(delivery.ledger.letters.map(\.attempts) == [6, 6] && delivery.ledger.letters.map(\.record.offset) == [0, 1])
        #expect(delivery.handler.log.givenUp == [.handlingFailed, .handlingFailed] && delivery.ledger.tries.isEmpty)
    }

    @Test("wait for a dependency for as long as it is away, and give nothing up for it", arguments: away)
    func dependencyAway(error: any Error) async throws {
        let calls = Mutex(0)
        let delivery = ScriptedDelivery([.received(0)]) { _, _ in
            guard
                calls.withLock({ count in
                    count += 1
                    return count > 40
                })
            else { throw error }
        }
        try await delivery.run { delivery.source.stored == [0] }
        #expect(delivery.handler.log.calls.count == 41 && delivery.ledger.letters.isEmpty)
        let longest = delivery.clock.sleeps.max() ?? .zero
        #expect(longest <= .seconds(5) && longest >= .seconds(2.5))
    }

    @Test("give up at once what the handler rejects, and go on behind it")
    func rejected() async throws {
        let (bad, good) = (EventID(), EventID())
        let delivery = ScriptedDelivery([.received(0, event: bad), .received(1, event: good)]) { _, context in
            if context.eventID == bad { throw RejectedMessage(.digestMismatch, detail: "other bytes") }
        }
        try await delivery.run { delivery.source.stored == [0, 1] }
        #expect(delivery.handler.log.calls == [bad, good] && delivery.clock.sleeps.isEmpty)
        let letter = try #require(delivery.ledger.letters.first)
        #expect(letter.rejection.reason == .digestMismatch && letter.rejection.detail == "other bytes" && letter.attempts == 1)
        #expect(delivery.handler.log.givenUp == [.digestMismatch])
    }

    @Test(
        "give up what cannot be read, and do not ask the handler",
        arguments: [
            (KafkaRecord.received(0, value: nil), FailureReason.tombstone), (.received(0, event: nil), .noEventID),
            (.received(0, value: Array("{".utf8)), .undecodable), (.received(0, value: Array(#"{"capture_id": 1}"#.utf8)), .undecodable),
        ])
    func unreadable(record: KafkaRecord, reason: FailureReason) async throws {
        let delivery = ScriptedDelivery([record, .received(1)])
        try await delivery.run { delivery.source.stored == [0, 1] }
        #expect(delivery.ledger.letters.map(\.rejection.reason) == [reason])
        #expect(delivery.handler.log.calls.count == 1 && delivery.handler.log.givenUp.isEmpty)
    }

    @Test("do not touch a record over which three processes died")
    func deaths() async throws {
        let (deadly, twice) = (EventID(), EventID())
        let delivery = ScriptedDelivery([.received(0, event: deadly), .received(1, event: twice)])
        for _ in 0..<3 { _ = try await delivery.ledger.take(deadly) }
        for _ in 0..<2 { _ = try await delivery.ledger.take(twice) }
        try await delivery.run { delivery.source.stored == [0, 1] }
        #expect(delivery.handler.log.calls == [twice])
        #expect(delivery.ledger.letters.map(\.rejection.reason) == [.processDied] && delivery.handler.log.givenUp == [.processDied])
    }

    @Test("lay a record down while they wait, so that the wait is no death")
    func laidDown() async throws {
        let event = EventID()
        let clock = TestClock(isHeld: true)
        let calls = Mutex(0)
        let delivery = ScriptedDelivery([.received(0, event: event)], clock: clock) { _, _ in
            guard
                calls.withLock({ count in
                    count += 1
                    return count > 1
                })
            else { throw Hiccup() }
        }
        async let running: Void = delivery.run { delivery.source.stored == [0] }
        try await waitUntil("a wait") { clock.sleepers == 1 }
        #expect(delivery.ledger.tries == [event: 0])
        clock.advance(by: .seconds(1))
        try await running
        // The handler settles the event in the transaction of its effect.
        #expect(delivery.ledger.tries == [event: 1])
    }

    @Test("wait for a ledger that is away before the handler sees the record")
    func ledgerAway() async throws {
        let delivery = ScriptedDelivery([.received(0)])
        delivery.ledger.fail(with: Array(repeating: PostgresError(code: .timeout, message: "away"), count: 9))
        try await delivery.run { delivery.source.stored == [0] }
        #expect(delivery.handler.log.calls.count == 1 && delivery.clock.sleeps.count == 9 && delivery.ledger.letters.isEmpty)
    }

    @Test("try until a dead letter is stored, and announce nothing before")
    func letterLate() async throws {
        let delivery = ScriptedDelivery([.received(0, value: nil), .received(1)]) { _, _ in throw RejectedMessage(.deviceUnknown) }
        delivery.ledger.fail(with: Array(repeating: Hiccup(), count: 8))
        try await delivery.run { delivery.source.stored == [0, 1] }
        #expect(delivery.ledger.letters.map(\.rejection.reason) == [.tombstone, .deviceUnknown])
        #expect(delivery.handler.log.givenUp == [.deviceUnknown] && delivery.clock.sleeps.count == 8)
    }

    @Test("go on after an offset that could not be stored")
    func notStored() async throws {
        let delivery = ScriptedDelivery([.received(0), .received(1)])
        delivery.source.failStoring(with: [Hiccup()])
        try await delivery.run { delivery.source.stored == [1] }
        #expect(delivery.handler.log.calls.count == 2)
    }
}
