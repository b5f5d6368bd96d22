import CaptureProtocol
import Foundation
import Logging
import Persistence
import Synchronization
import TestSupport
import Testing

@testable import RialCLI

@Suite("Captures that were assessed by a method, to be assessed again", .timeLimit(.minutes(1)))
struct MethodReassessmentTests {
    /// Captures in memory, in the order of their ids.
    private final class MemoryCaptures: MethodCaptures {
        struct State {
            var requested: Set<UUID> = []
            /// Where each step began that was carried out, as an index.
            var steps: [Int] = []
            /// Where steps fail the first time, before they are carried out or after it.
            var failing: [Int: PostgresError] = [:]
            var isCarriedOut = false
        }

        let methods: [(id: UUID, method: String)]
        let state = Mutex(State())
        var now: State { state.withLock { $0 } }

        init(_ methods: [String]) {
            self.methods = zip((0..<methods.count).map { _ in UUID() }.sorted(), methods).map { (id: $0, method: $1) }
        }

        func request(by method: String, after: UUID?, limit: Int) async throws -> ReassessmentStep? {
            let start = after.map { last in methods.firstIndex { $0.id > last } ?? methods.count } ?? 0
            let step = methods.dropFirst(start).prefix(limit)
            return try state.withLock { state in
                let failure = state.failing.removeValue(forKey: start)
                if let failure, !state.isCarriedOut { throw failure }
                state.steps.append(start)
                let found = Set(step.filter { $0.method == method }.map(\.id)).subtracting(state.requested)
                state.requested.formUnion(found)
                if let failure { throw failure }
                return step.last.map { ReassessmentStep(requested: found.count, last: $0.id) }
            }
        }
    }

    private let lost = PostgresError(code: .connectionFailed, message: "the connection was lost")
    /// Four of five captures are by the method.
    private let captures = MemoryCaptures((0..<2500).map { $0.isMultiple(of: 5) ? "relief-2" : "relief-1" })

    @Test("are all asked for, a thousand captures at a time")
    func steps() async throws {
        #expect(try await MethodReassessment(captures: captures).request(by: "relief-1") == 2000)
        #expect(captures.now.requested == Set(captures.methods.filter { $0.method == "relief-1" }.map(\.id)))
        #expect(captures.now.steps == [0, 1000, 2000, 2500])
    }

    @Test("are none where no capture is by it, or none is there")
    func none() async throws {
        #expect(try await MethodReassessment(captures: captures).request(by: "relief-0") == 0)
        #expect(try await MethodReassessment(captures: MemoryCaptures([])).request(by: "relief-1") == 0)
    }

    @Test("are all asked for even if a step fails, which is repeated alone", arguments: [false, true])
    func failedStep(isCarriedOut: Bool) async throws {
        captures.state.withLock { ($0.failing, $0.isCarriedOut) = ([1000: lost], isCarriedOut) }
        let count = try await MethodReassessment(captures: captures).request(by: "relief-1")
        #expect(captures.now.requested.count == 2000)
        // One whose answer was lost is not counted.
        #expect(count == (isCarriedOut ? 1200 : 2000))
        #expect(captures.now.steps == (isCarriedOut ? [0, 1000, 1000, 2000, 2500] : [0, 1000, 2000, 2500]))
    }

    @Test("stay asked for if a step is refused, and the command given again asks for the rest")
    func refused() async throws {
        let refusal = PostgresError(code: .query, message: "no such column", sqlState: "42703")
        captures.state.withLock { $0.failing = [2000: refusal] }
        await #expect(throws: CommandFailure.self) { try await MethodReassessment(captures: captures).request(by: "relief-1") }
        #expect(captures.now.requested.count == 1600)
        #expect(try await MethodReassessment(captures: captures).request(by: "relief-1") == 400)
        #expect(captures.now.requested.count == 2000)
    }

    @Test(
        "are found in PostgreSQL step by step, and asked for once until they are settled",
        .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
    func postgres() async throws {
        try await TestSchema.with(prefix: "reassess") { schema in
            try await Migrator.bundled().migrate(url: schema.url, logger: .quiet)
            let ids = try await store(5, in: schema)
            let captures = PostgresReassessmentRequests(url: schema.url)
            // The first one is by another method, the last one is not complete.
            #expect(try await captures.request(by: "relief-1", after: nil, limit: 2) == ReassessmentStep(requested: 1, last: ids[1]))
            #expect(try await captures.request(by: "relief-1", after: nil, limit: 2) == ReassessmentStep(requested: 0, last: ids[1]))
            #expect(try await captures.request(by: "relief-1", after: ids[1], limit: 2) == ReassessmentStep(requested: 2, last: ids[3]))
            #expect(try await captures.request(by: "relief-1", after: ids[3], limit: 2) == ReassessmentStep(requested: 0, last: ids[4]))
            #expect(try await captures.request(by: "relief-1", after: ids[4], limit: 2) == nil)
            try await PostgresConnection.connect(url: schema.url, applicationName: "tests").closing { connection in
                let rows = try await connection.query("SELECT capture_id FROM reassessments ORDER BY capture_id")
                #expect(try rows.map { try $0.get("capture_id", as: UUID.self) } == Array(ids[1...3]))
                try await connection.query("UPDATE reassessments SET settled_at = now(), outcome = 'unchanged'")
            }
            #expect(try await MethodReassessment(captures: captures).request(by: "relief-1") == 3)
        }
    }

    @Test(
        "one is asked for by its id if it is complete, and is listed while it waits",
        .enabled(if: TestSchema.isConfigured, "RIAL_TEST_DATABASE_URL names no PostgreSQL"))
    func single() async throws {
        try await TestSchema.with(prefix: "reassess") { schema in
            try await Migrator.bundled().migrate(url: schema.url, logger: .quiet)
            let ids = try await store(2, in: schema)
            let requests = PostgresReassessmentRequests(url: schema.url)
            #expect(try await requests.open().isEmpty)
            try await requests.request(CaptureID(ids[0]))
            for refused in [CaptureID(ids[1]), CaptureID()] {
                await #expect(throws: CommandFailure.self) { try await requests.request(refused) }
            }
            let open = try await requests.open()
            #expect(open.map(\.capture.uuid) == [ids[0]])
            #expect(open.allSatisfy { !$0.isMeasured && $0.outcome == nil })
        }
    }

    /// Stores captures that are complete by `relief-1`, but for the first and the last.
    /// - Returns: their ids, ascending as PostgreSQL compares them.
    private func store(_ count: Int, in schema: TestSchema) async throws -> [UUID] {
        let pool = PostgresPool(url: schema.url, size: 1, applicationName: schema.name, logger: .quiet)
        var ids: [UUID] = []
        for _ in 0..<count { ids.append(try await StoredCapture(in: pool).id.uuid) }
        ids.sort()
        for (index, id) in ids.dropLast().enumerated() {
            let method = index == 0 ? "relief-2" : "relief-1"
            _ = try await pool.query(
                """
                UPDATE captures SET status = 'complete', confidence_level = 'high', completed_at = now(),
                    evidence = jsonb_build_object('algorithm_versions', jsonb_build_object('depth', \(method)::text))
                WHERE id = \(id)
                """)
        }
        await pool.shutdown()
        return ids
    }
}
