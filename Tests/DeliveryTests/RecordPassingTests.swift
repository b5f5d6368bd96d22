import CaptureProtocol
import Models
import ObjectStorage
import Persistence
import Synchronization
import TestSupport
import Testing

@testable import Delivery
@testable import Messaging

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

    /// How many records are in hand while a dependency is unavailable.
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

    @Test("has the offset of the last that passed it stored, also if a new client began with settled ones before it")
    func begunAgain() async {
        let desk = RecordDesk()
        let (stuck, behind) = (Self.record(10, "stuck"), Self.record(11, "behind"))
        let turn = await desk.begin(stuck).turn
        desk.pass(turn, of: stuck)
        _ = await desk.begin(behind)
        #expect(desk.finish(behind, isHandled: true) == nil)
        var settled = Self.record(9, "settled")
        settled.generation = 1
        #expect(!desk.has(settled))
        _ = await desk.begin(settled)
        #expect(desk.finish(settled, isHandled: true)?.offset == 9)
        for var record in [stuck, behind] {
            record.generation = 1
            #expect(desk.has(record))
        }
        let last = desk.finish(stuck, isHandled: true)
        #expect(last?.offset == 11 && last?.generation == 1)
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
