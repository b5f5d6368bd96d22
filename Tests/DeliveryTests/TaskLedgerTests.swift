import Foundation
import Models
import Persistence
import TestSupport
import Testing

@testable import Delivery

@Suite("Ledgers of periodic tasks, in memory and in PostgreSQL", .sharedSchema("task_ledgers"))
struct TaskLedgerTests {
    /// A ledger, and what makes all that is in hand taken long ago.
    private func ledger(_ kind: StoreKind) throws -> (any TaskLedger, age: () async throws -> Void) {
        switch kind {
        case .memory:
            let ledger = MemoryTaskLedger()
            return (ledger, { ledger.age() })
        case .postgres:
            let pool = try #require(TestSchema.shared)
            let task = UUID().uuidString
            return (
                PostgresTaskLedger(.evidenceAssembler, task: task, database: pool),
                {
                    _ = try await pool.query(
                        "UPDATE evidence_assembler_in_hand SET noted_at = noted_at - interval '301 seconds' WHERE consumer = \(task)")
                }
            )
        }
    }

    @Test("work is in hand once, until it is settled or released", arguments: StoreKind.available)
    func once(kind: StoreKind) async throws {
        let (ledger, _) = try ledger(kind)
        let (work, other) = (UUID(), UUID())
        #expect(try await ledger.take(work) == .taken)
        #expect(try await ledger.take(work) == .elsewhere)
        #expect(try await ledger.take(other) == .taken)
        try await ledger.release(work)
        try await ledger.release(UUID())
        #expect(try await ledger.take(work) == .taken)
        try await ledger.settle(work)
        #expect(try await ledger.take(work) == .taken)
    }

    @Test(
        "what was in hand when three processes crashed is fatal; what was released between counts as no crash",
        arguments: StoreKind.available)
    func fatal(kind: StoreKind) async throws {
        let (ledger, age) = try ledger(kind)
        let work = UUID()
        for _ in 0..<3 {
            #expect(try await ledger.take(work) == .taken)
            try await ledger.release(work)
            try await age()
            #expect(try await ledger.take(work) == .taken)
            #expect(try await ledger.take(work) == .elsewhere, "the crash may have been a moment ago")
            try await age()
        }
        #expect(try await ledger.take(work) == .fatal)
        try await ledger.settle(work)
        #expect(try await ledger.take(work) == .taken)
    }

    @Test(
        "work that was taken in the future, since the clock was set back, is free",
        .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
    func clockBack() async throws {
        let (pool, task, work) = (try #require(TestSchema.shared), UUID().uuidString, UUID())
        let ledger = PostgresTaskLedger(.evidenceAssembler, task: task, database: pool)
        #expect(try await ledger.take(work) == .taken)
        _ = try await pool.query(
            "UPDATE evidence_assembler_in_hand SET noted_at = now() + interval '6 hours' WHERE consumer = \(task)")
        #expect(try await ledger.take(work) == .taken)
        #expect(try await ledger.take(work) == .elsewhere)
    }

    private struct Failed: Error {}

    @Test("work that fails is released with its error, also if its task is cancelled", arguments: StoreKind.available)
    func released(kind: StoreKind) async throws {
        let (ledger, _) = try ledger(kind)
        let work = UUID()
        await #expect(throws: Failed.self) { try await ledger.run(work, giveUp: {}) { throw Failed() } }
        let task = Task {
            try await ledger.run(work, giveUp: {}) {
                withUnsafeCurrentTask { $0?.cancel() }
                try Task.checkCancellation()
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await ledger.take(work) == .taken)
    }

    @Test("what is fatal is given up instead of done", arguments: StoreKind.available)
    func givenUp(kind: StoreKind) async throws {
        let (ledger, age) = try ledger(kind)
        let work = UUID()
        for _ in 0..<3 {
            _ = try await ledger.take(work)
            try await age()
        }
        var calls: [String] = []
        try await ledger.run(work, giveUp: { calls.append("given up") }) { calls.append("done") }
        try await ledger.run(work, giveUp: { calls.append("given up") }) { calls.append("done") }
        #expect(calls == ["given up", "done"])
    }
}
