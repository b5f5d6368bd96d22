import Foundation
import Models
import Testing

/// Tests the public log with a stack of its own: what writes it, what witnesses it and what it stands on is killed, stopped and changed.
@Suite(
    "The public log of the whole system", .serialized,
    .enabled(if: LocalStack.isAvailable, "the services or the local stack's tools are not built"),
    .localStack(
        "log",
        [
            "RIAL_LIMIT_CHALLENGES_PER_MINUTE": "0", "RIAL_LIMIT_REGISTRATIONS_PER_MINUTE": "0", "RIAL_LIMIT_CAPTURES_PER_HOUR": "0",
            "RIAL_MAX_UPLOADS_PER_ADDRESS": "0", "RIAL_MAX_MEDIA_PER_ADDRESS": "0", "RIAL_ANNOUNCE_AGAIN_SECONDS": "2",
            "RIAL_LOG_WITNESS_TIMEOUT_MS": "500",
        ]))
enum LogTests {}

/// Statements in numbers about a capture that is under way, as `evidence-assembler` writes and announces them.
struct StatementLoad: Sendable {
    let stack: LocalStack
    /// The capture.
    let id: String
    private let announcer: Forger

    init(_ stack: LocalStack) async throws {
        self.stack = stack
        announcer = try Forger(stack)
        var device = try await TestClient(url: stack.url).device()
        id = try await FaultCapture(&device).accepted().id
    }

    /// Adds statements, and announces them twice with one event id and once with another.
    func add(_ count: Int) async throws {
        _ = try await stack.sql(
            """
            INSERT INTO statements (commitment, capture_id, sequence, kind, subject, time, statement, salt, evidence, raw, raw_salt)
            SELECT sha256(uuid_send(gen_random_uuid())), '\(id)', last + n, 'reassessment', uuid_send(gen_random_uuid()),
                floor(extract(epoch FROM now())), 's', sha256('s'), 'e', '{}', sha256('r')
            FROM generate_series(1, \(count)) AS n,
                (SELECT coalesce(max(sequence), 0) AS last FROM statements WHERE capture_id = '\(id)') AS known
            """)
        let body = ["capture_id": id, "status": "complete", "confidence_level": "high"]
        let event = try await announcer.send(.evidenceAssembled, key: id, body)
        try await announcer.send(.evidenceAssembled, key: id, body, id: event)
        try await announcer.send(.evidenceAssembled, key: id, body)
    }

    /// Adds statements again and again while `work` runs. What a part that is away loses is announced with the next ones.
    func during<Result: Sendable>(_ work: @Sendable () async throws -> Result) async throws -> Result {
        try await repeating([{ _ = try? await add(3) }], every: .milliseconds(200), while: work)
    }

    /// Waits until the capture is complete, and sends all announcements of it again, as they were and with new ids.
    func replay() async throws {
        _ = try await TestClient(url: stack.url).settled(id, within: .seconds(120))
        let redelivery = try Redelivery(stack)
        try await redelivery.awaitHandled(try await redelivery.replay([.evidenceAssembled], key: id))
    }
}

extension LocalStack {
    /// The path of the policy that the stack goes by.
    func policy() throws -> String { try #require(addresses["RIAL_LOG_POLICY"], "the stack has no policy") }

    /// Whether the process of a part lives.
    func isRunning(_ part: String) throws -> Bool {
        let state = try? String(contentsOfFile: "/proc/\(try processID(of: part))/stat", encoding: .utf8)
        return state.map { !$0.contains(") Z ") } ?? false
    }

    /// Runs `work` while a part is stopped by SIGSTOP: its connections stay open, and nobody answers.
    func asleep<Result>(_ part: String, _ work: () async throws -> Result) async throws -> Result {
        let process = try processID(of: part)
        #expect(kill(process, SIGSTOP) == 0)
        defer { _ = kill(process, SIGCONT) }
        return try await work()
    }

    /// Runs `work` with so many instances of the log's writer.
    func writers<Result>(_ count: Int, _ work: () async throws -> Result) async throws -> Result {
        try await control("scale", "transparency-log", count)
        do {
            let result = try await work()
            try await control("scale", "transparency-log")
            return result
        } catch {
            try await control("scale", "transparency-log")
            throw error
        }
    }

    /// Whether this instance of the log's writer has the lock, as its metrics say.
    func isWritingLog(_ instance: Int) async throws -> Bool {
        try await client(of: "transparency-log", instance, .admin).send("GET", "/metrics").text.contains("\nrial_log_sequencer 1")
    }

    /// Fetches the capture's bundle, and expects that it proves its verdict by the stack's policy.
    func expectProved(_ id: String) async throws {
        let path = failPoints.appendingPathComponent("\(id).rial").path
        _ = try await rial(["bundle", "get", id, "--output", path])
        _ = try await rial(["verify", "--bundle", path, "--policy", try policy()])
    }
}

/// Runs each step again and again while `work` runs.
func repeating<Result: Sendable>(
    _ steps: [@Sendable () async -> Void], every pause: Duration, while work: @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for step in steps {
            group.addTask {
                while !Task.isCancelled {
                    await step()
                    try? await Task.sleep(for: pause)
                }
            }
        }
        defer { group.cancelAll() }
        return try await work()
    }
}
