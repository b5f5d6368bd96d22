import CaptureProtocol
import Messaging
import Models
import Persistence
import TestSupport
import Testing

@testable import Delivery

@Suite("Ledgers of records, in memory and in PostgreSQL", .sharedSchema("ledgers"))
struct RecordLedgerTests {
    /// A ledger, with functions to inspect it.
    private struct Subject<Ledger: RecordLedger>: Sendable {
        let ledger: Ledger
        /// Settles the event, as an inbox does in the transaction of a handler's effect.
        let settle: @Sendable (EventID) async throws -> Void
        /// The number of stored dead letters.
        let letters: @Sendable () async throws -> Int
        let letter: DeadLetter
    }

    private func with(_ kind: StoreKind, _ body: any Body) async throws {
        let key = EventID().description
        switch kind {
        case .memory:
            let ledger = MemoryRecordLedger()
            try await body.run(
                Subject(ledger: ledger, settle: { ledger.settle($0) }, letters: { ledger.letters.count }, letter: Self.letter(key)))
        case .postgres:
            let pool = try #require(TestSchema.shared)
            let ledger = PostgresRecordLedger(service: .depthAnalyzer, topic: .captureReceived, database: pool)
            try await body.run(
                Subject(
                    ledger: ledger,
                    settle: { event in
                        _ = try await pool.withTransaction {
                            try await Inbox(.depthAnalyzer).accept(event, consumer: .captureReceived, on: $0)
                        }
                    },
                    letters: { try await pool.query("SELECT FROM depth_analyzer_outbox WHERE record_key = \(key)").count },
                    letter: Self.letter(key)))
        }
    }

    private static func letter(_ key: String) -> DeadLetter {
        DeadLetter(
            record: KafkaRecord(
                topic: Topic.captureReceived.rawValue, partition: 0, offset: 7, key: Array(key.utf8), value: nil, headers: [],
                timestampMilliseconds: nil),
            rejection: RejectedMessage(.tombstone), service: .depthAnalyzer, attempts: 1)
    }

    /// A generic closure: a test's body for any ledger.
    private protocol Body: Sendable { func run<Ledger: RecordLedger>(_ subject: Subject<Ledger>) async throws }

    private struct Deaths: Body {
        func run<Ledger: RecordLedger>(_ subject: Subject<Ledger>) async throws {
            let (event, other) = (EventID(), EventID())
            for deaths in 0...3 {
                let known = try await subject.ledger.take(event)
                #expect(known == deaths)
            }
            #expect(try await subject.ledger.take(other) == 0)
        }
    }

    @Test("each time a record comes again without having been settled, a process has died over it", arguments: StoreKind.available)
    func deaths(kind: StoreKind) async throws { try await with(kind, Deaths()) }

    private struct Settled: Body {
        func run<Ledger: RecordLedger>(_ subject: Subject<Ledger>) async throws {
            let (laidDown, handled, givenUp) = (EventID(), EventID(), EventID())
            for event in [laidDown, handled, givenUp] { _ = try await subject.ledger.take(event) }
            try await subject.ledger.release(laidDown)
            try await subject.ledger.release(EventID())
            try await subject.settle(handled)
            try await subject.ledger.store(subject.letter, of: givenUp) { _ in }
            try await subject.ledger.store(subject.letter, of: nil) { _ in }
            for event in [laidDown, handled, givenUp] { #expect(try await subject.ledger.take(event) == 0) }
            #expect(try await subject.letters() == 2)
        }
    }

    @Test("an orderly end is no death, and what was handled or given up leaves nothing", arguments: StoreKind.available)
    func settled(kind: StoreKind) async throws { try await with(kind, Settled()) }

    private struct Together: Body {
        func run<Ledger: RecordLedger>(_ subject: Subject<Ledger>) async throws {
            let event = EventID()
            _ = try await subject.ledger.take(event)
            await #expect(throws: Hiccup.self) { try await subject.ledger.store(subject.letter, of: event) { _ in throw Hiccup() } }
            #expect(try await subject.letters() == 0)
            #expect(try await subject.ledger.take(event) == 1)
        }
    }

    @Test("a letter whose announcement fails is not stored, and its record stays in hand", arguments: StoreKind.available)
    func together(kind: StoreKind) async throws { try await with(kind, Together()) }
}
