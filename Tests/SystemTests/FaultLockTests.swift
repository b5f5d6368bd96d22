import Foundation
import TestSupport
import Testing

/// Exclusive locks on tables, as during a change of the schema.
struct LockedTables: Sendable, CustomTestStringConvertible {
    let names: [String]
    var testDescription: String { names.count == 1 ? names[0] : "\(names[0]) and \(names.count - 1) others" }

    private static let outboxes = LocalStack.services.map { $0.replacing("-", with: "_") + "_outbox" }
    private static let states = [
        "captures", "intakes", "challenges", "devices", "registrations", "assertion_counters", "attestation_appraisals", "depth_analyses",
        "sync_jobs",
        "evidence_parts", "media_objects", "rate_limits", "content_credentials", "statements",
    ]

    static let chosen: [LockedTables] =
        [LockedTables(names: ["captures"] + outboxes)] + (FaultTests.isFull ? (states + outboxes).map { LockedTables(names: [$0]) } : [])

    /// Holds the locks for this time after acquiring all of them. Retries, since this session or a waiting one may be chosen as the victim
    /// of a deadlock.
    func hold(for seconds: Int, in stack: LocalStack) async throws {
        let statement = """
            BEGIN; SET LOCAL deadlock_timeout = '20s'; LOCK TABLE \(names.joined(separator: ", ")) IN ACCESS EXCLUSIVE MODE;
            SELECT pg_sleep(\(seconds)); COMMIT
            """
        for _ in 0..<4 { if (try? await stack.sql(statement)) != nil { return } }
        _ = try await stack.sql(statement)
    }

    /// Waits until all tables are locked.
    func held(in stack: LocalStack) async throws {
        let list = names.map { "'\($0)'::regclass" }.joined(separator: ", ")
        let query = "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted AND relation IN (\(list))"
        try await eventually("\(testDescription) locked") { try await stack.sql(query) == ["\(names.count)"] }
    }
}

extension FaultTests {
    @Suite("Schema locks for 15 s")
    struct Locks {
        @Test("delay captures and registrations, and lose none", .timeLimit(.minutes(8)), arguments: LockedTables.chosen)
        func locked(_ tables: LockedTables) async throws {
            let stack = try LocalStack.required()
            let registration = try await FaultRegistration()
            let captures = try await CapturesAroundFault()
            async let released: Void = tables.hold(for: 15, in: stack)
            try await tables.held(in: stack)
            async let registered = registration.sent()
            async let first = captures.late[0].sent()
            async let second = captures.late[1].sent()
            try await released
            let sent = [try await first, try await second]
            try await registered.expectOnlyRetryLater("registration, \(tables.testDescription)")
            for capture in sent { capture.expectOnlyRetryLater("capture, \(tables.testDescription)") }
            try await registration.expectOne(in: stack, tables.testDescription)
            try await stack.expectWhole(captures.ids + sent.map(\.value.id), of: captures.device, tables.testDescription)
        }
    }
}
