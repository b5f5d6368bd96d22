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
                    count += 1; return count > 40
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
                    count += 1; return count > 1
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

@Suite("A record that lets others pass", .timeLimit(.minutes(1)))
struct RecordPassingTests {
    private static func record(_ offset: Int64, _ key: String, partition: Int32 = 0) -> KafkaRecord {
        .received(offset, partition: partition, key: Array(key.utf8))
    }

    /// Handles records whose key begins with "long" once its gate is open, and lets others pass.
    private static func delivery(_ records: [KafkaRecord], _ gates: [String: Gate]) -> ScriptedDelivery {
        let keys = Dictionary(uniqueKeysWithValues: records.map { ($0.header("ce_id"), String(decoding: $0.key ?? [], as: UTF8.self)) })
        return ScriptedDelivery(records) { _, context in
            guard let key = keys[context.eventID.description], let gate = gates[key] else { return }
            context.letOthersPass()
            await gate.pass()
        }
    }

    @Test("does not hold up those behind it, and no offset behind it is stored before")
    func passed() async throws {
        let gate = Gate()
        let delivery = Self.delivery(
            [Self.record(0, "a"), Self.record(1, "long"), Self.record(2, "b"), Self.record(7, "c", partition: 1), Self.record(3, "d")],
            ["long": gate])
        let before = Mutex<[Int64]>([])
        try await delivery.run {
            if delivery.handler.log.calls.count == 5, delivery.source.stored.contains(7), !gate.isOpen {
                before.withLock { $0 = delivery.source.stored }
                gate.open()
            }
            return delivery.source.stored.last == 3
        }
        #expect(before.withLock { $0 } == [0, 7], "of its partition only what was before it")
        #expect(delivery.source.stored == [0, 7, 3])
    }

    @Test("is passed by none of its own key")
    func ownKey() async throws {
        let gate = Gate()
        let delivery = Self.delivery([Self.record(0, "long"), Self.record(1, "other"), Self.record(2, "long")], ["long": gate])
        let callsBefore = Mutex(0)
        try await delivery.run {
            if delivery.handler.log.calls.count >= 2, gate.isReached, !gate.isOpen {
                callsBefore.withLock { $0 = delivery.handler.log.calls.count }
                gate.open()
            }
            return delivery.source.stored.last == 2
        }
        #expect(callsBefore.withLock { $0 } == 2 && delivery.handler.log.calls.count == 3)
    }

    @Test("takes one place among those that are passed, however often its handler is repeated")
    func repeated() async {
        let desk = RecordDesk()
        func begin(_ offset: Int64, _ name: String) async -> (RecordTurn, KafkaRecord) {
            let record = Self.record(offset, name)
            return (await desk.begin(record).turn, record)
        }
        let (first, record) = await begin(0, "first")
        for _ in 0...RecordDesk.maximumPassed { desk.pass(first, of: record) }
        for number in 1..<RecordDesk.maximumPassed {
            let (turn, other) = await begin(Int64(number), "other\(number)")
            desk.pass(turn, of: other)
            await turn.passed()
        }
    }

    @Test("is passed by others only while fewer than five do so at once")
    func limit() async throws {
        let names = (0...RecordDesk.maximumPassed).map { "long\($0)" }
        let gates = Dictionary(uniqueKeysWithValues: names.map { ($0, Gate()) })
        let last = Int64(names.count)
        let delivery = Self.delivery(
            names.enumerated().map { Self.record(Int64($0), $1) } + [Self.record(last, "behind")], gates)
        let callsBefore = Mutex(0)
        try await delivery.run {
            if gates.values.allSatisfy({ $0.isReached && !$0.isOpen }) {
                callsBefore.withLock { $0 = delivery.handler.log.calls.count }
                for gate in gates.values { gate.open() }
            }
            return delivery.source.stored.last == last
        }
        #expect(callsBefore.withLock { $0 } == names.count, "the last one waits for one of them")
        #expect(delivery.handler.log.calls.count == names.count + 1)
    }

    @Test("is one whose object the store cannot give, until it can")
    func storeFails() async throws {
        let bad = EventID()
        let isMended = Mutex(false)
        let records: [KafkaRecord] = [
            Self.record(0, "a"), .received(1, event: bad, key: Array("bad".utf8)), Self.record(2, "b"), Self.record(3, "bad"),
            Self.record(4, "c"),
        ]
        let delivery = ScriptedDelivery(records) { _, context in
            if context.eventID == bad, !isMended.withLock({ $0 }) { throw ObjectStorageError(.unavailable, "InternalError") }
        }
        let before = Mutex<[Int64]>([])
        try await delivery.run {
            let calls = delivery.handler.log.calls
            if calls.count(where: { $0 == bad }) > 20, Set(calls).count == 4, !isMended.withLock({ $0 }) {
                before.withLock { $0 = delivery.source.stored }
                isMended.withLock { $0 = true }
            }
            return delivery.source.stored.last == 4
        }
        #expect(before.withLock { $0 } == [0], "no offset behind it")
        let others = delivery.handler.log.calls.filter { $0 != bad }
        let events = records.compactMap { $0.header("ce_id").flatMap(EventID.init) }
        #expect(others == [0, 2, 4, 3].map { events[$0] } && delivery.handler.log.calls.last == events[3], "that of its key after it")
        #expect(delivery.ledger.letters.isEmpty)
    }

    @Test("is not begun again when it comes again, nor are those that passed it")
    func comesAgain() async throws {
        let events = [EventID(), EventID(), EventID()]
        let records = events.enumerated().map { KafkaRecord.received(Int64($0), event: $1, key: Array("\($0)".utf8)) }
        let isMended = Mutex(false)
        let delivery = ScriptedDelivery(Array(records.prefix(2)) + records) { _, context in
            if context.eventID == events[0], !isMended.withLock({ $0 }) { throw ObjectStorageError(.unavailable, "InternalError") }
        }
        try await delivery.run {
            if delivery.handler.log.calls.contains(events[2]) { isMended.withLock { $0 = true } }
            return delivery.source.stored.last == 2
        }
        #expect(delivery.handler.log.calls.filter { $0 != events[0] } == [events[1], events[2]])
    }

    /// How many records are in hand while a dependency is away.
    private static let inHand: [(any Error, Int)] = [
        (ObjectStorageError(.unavailable, "away"), MessageContext.maximumInHand),
        (PostgresError(code: .connectionFailed, message: "away"), 1), (DependencyUnavailable("signer", "away"), 1),
    ]

    @Test("keeps those behind it while all of the store is away, or another dependency", arguments: inHand)
    func allFails(error: any Error, inHand: Int) async throws {
        let isBack = Mutex(false)
        let delivery = ScriptedDelivery((0..<8).map { Self.record($0, "key\($0)") }) { _, _ in
            if !isBack.withLock({ $0 }) { throw error }
        }
        let begun = Mutex(0)
        try await delivery.run {
            let calls = delivery.handler.log.calls
            if calls.count > 300, Set(calls).count >= inHand, !isBack.withLock({ $0 }) {
                begun.withLock { $0 = Set(calls).count }
                isBack.withLock { $0 = true }
            }
            return delivery.source.stored.last == 7
        }
        #expect(begun.withLock { $0 } == inHand)
        #expect(Set(delivery.handler.log.calls).count == 8 && delivery.ledger.letters.isEmpty)
    }

    @Test("is passed by so many of its partition, and no more")
    func longWindow() async {
        let desk = RecordDesk()
        let stuck = Self.record(0, "stuck")
        let turn = await desk.begin(stuck).turn
        desk.pass(turn, of: stuck)
        for offset in 1..<Int64(RecordDesk.maximumOpen) {
            let record = Self.record(offset, "key\(offset)")
            let passing = await desk.begin(record).turn
            #expect(desk.finish(record, isHandled: true) == nil)
            passing.finish()
        }
        _ = await desk.begin(Self.record(0, "elsewhere", partition: 1))
        let isBegun = Flag()
        let next = Task {
            _ = await desk.begin(Self.record(Int64(RecordDesk.maximumOpen), "next"))
            isBegun.set()
        }
        try? await Task.sleep(for: .milliseconds(50))
        #expect(!isBegun.isSet)
        #expect(desk.finish(stuck, isHandled: true)?.offset == Int64(RecordDesk.maximumOpen) - 1)
        turn.finish()
        await next.value
        #expect(isBegun.isSet)
    }

    @Test("has its offset stored by the client that read it last, like those that passed it")
    func renewed() async {
        let desk = RecordDesk()
        let (stuck, behind) = (Self.record(0, "stuck"), Self.record(1, "behind"))
        let turn = await desk.begin(stuck).turn
        desk.pass(turn, of: stuck)
        _ = await desk.begin(behind)
        #expect(desk.finish(behind, isHandled: true) == nil)
        for var record in [stuck, behind] {
            record.generation = 1
            #expect(desk.has(record))
        }
        #expect(desk.finish(stuck, isHandled: true)?.generation == 1)
    }

    @Test("is finished at shutdown, with those that passed it")
    func shutdown() async throws {
        let gate = Gate()
        let delivery = Self.delivery([Self.record(0, "long"), Self.record(1, "a")], ["long": gate])
        try await delivery.run(until: { delivery.handler.log.calls.count == 2 }, then: { gate.open() })
        #expect(delivery.source.stored.last == 1 && delivery.source.isClosed)
    }

    @Test("is tried again and given up like any other")
    func failing() async throws {
        let delivery = ScriptedDelivery([Self.record(0, "a"), Self.record(1, "b")]) { _, context in
            context.letOthersPass()
            throw RejectedMessage(.digestMismatch)
        }
        try await delivery.run { delivery.source.stored.last == 1 }
        #expect(delivery.ledger.letters.count == 2 && delivery.handler.log.givenUp == [.digestMismatch, .digestMismatch])
    }
}

/// Blocks a handler until the test opens it.
private final class Gate: Sendable {
    private let gate = AsyncStream.makeStream(of: Void.self)
    private let state = Mutex((isReached: false, isOpen: false))
    var isReached: Bool { state.withLock { $0.isReached } }
    var isOpen: Bool { state.withLock { $0.isOpen } }
    func open() {
        state.withLock { $0.isOpen = true }
        gate.continuation.finish()
    }
    func pass() async {
        state.withLock { $0.isReached = true }
        for await _ in gate.stream {}
    }
}

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
                    defer { count += 1 }; return count
                }]
        }
        try await shutDown(service) { opened.withLock { $0 } == 3 }
        #expect(sources.allSatisfy { $0.isClosed })
    }
}
