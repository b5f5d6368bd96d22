import CaptureProtocol
import Foundation
import SimulatedDevice
import TestSupport
import Testing

/// A stack with thousands of captures in the database, whose server logs the plans of all statements.
@Suite(
    "What the services ask a database full of captures", .serialized,
    .enabled(if: LocalStack.isAvailable, "the services or the local stack's tools are not built"),
    .localStack("plans", ["RIAL_ANNOUNCE_AGAIN_SECONDS": "2"]))
struct QueryPlanTests {
    private static let captures = 5000
    /// The maximum number of rows that a statement may read from a table: the largest batch has 100.
    private static let bound = 300.0
    /// Tables that do not grow with the stored captures: queues, single rows, logs, and damaged media.
    private static func isSmall(_ table: String) -> Bool {
        ["_outbox", "_in_hand", "_heartbeat", "media_damage", "withdrawals", "log_shards", "log_pending", "reassessments"]
            .contains { table.hasSuffix($0) }
    }
    /// Tables that each service must have used before plans are checked.
    private static let expected: [String: Set<String>] = [
        "gateway": [
            "challenges", "registrations", "devices", "intakes", "captures", "media_objects", "evidence_parts", "content_credentials",
            "verification_logs", "rate_limits", "gateway_outbox", "uploads", "upload_segments", "withdrawals",
        ],
        "attestation-verifier": [
            "challenges", "devices", "registrations", "captures", "attestation_appraisals", "assertion_counters",
            "attestation_verifier_inbox", "attestation_verifier_in_hand", "attestation_verifier_outbox",
        ],
        "depth-analyzer": ["captures", "depth_analyses", "depth_analyzer_inbox", "depth_analyzer_in_hand", "depth_analyzer_outbox"],
        "upload-sync": ["captures", "sync_jobs", "upload_sync_inbox", "upload_sync_in_hand", "upload_sync_outbox"],
        "evidence-assembler": [
            "captures", "evidence_parts", "content_credentials", "media_objects", "attestation_appraisals", "depth_analyses", "sync_jobs",
            "statements", "device_events", "log_entries",
            "evidence_assembler_inbox", "evidence_assembler_in_hand", "evidence_assembler_outbox",
        ],
        "transparency-log": ["log_entries", "log_pending", "log_checkpoints", "statements", "transparency_log_outbox"],
    ]
    /// Tables used by periodic work that runs at start and then every few minutes or hours.
    private static let expectedOfSweeps: [String: Set<String>] = ["upload-sync": ["intakes", "devices"], "gateway": ["gateway_inbox"]]
    /// Statements that may read all rows, with the reason.
    private static let allowed = [
        "DELETE FROM rate_limits": "once a minute: how full a bucket is depends on the time, and no index can say",
        "devices.attestation_level = 'unverified'": "once an hour: all captures that failed",
    ]

    @Test("is answered by key or index, for these values and for any", .timeLimit(.minutes(8)))
    func plans() async throws {
        let stack = try LocalStack.required()
        let client = try TestClient.current()
        var device = try await client.device()
        _ = try await client.settled(client.capture(&device, CaptureParts()))
        try await fill(stack)
        try await logPlans(stack)
        let log = PlanLog(file: stack.folder.appendingPathComponent("logs/postgres.log"))
        // Includes the work that runs at start and then every hour.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for service in LocalStack.services { group.addTask { try await stack.control("restart", service) } }
            try await group.waitForAll()
        }
        try await drive(client)
        try Self.assess(try await log.plans(of: Self.expected.merging(Self.expectedOfSweeps) { $0.union($1) }))
        // Frequent statements get a generic plan.
        _ = try await stack.sql("ALTER DATABASE rial SET plan_cache_mode = force_generic_plan")
        // Waits until they have ended: a statement that is under way then would fail.
        _ = try await stack.sql(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE usename <> 'rial_owner' AND datname = 'rial'"
        )
        let later = PlanLog(file: log.file)
        try await drive(client)
        try Self.assess(try await later.plans(of: Self.expected))
    }

    private static func assess(_ plans: [LoggedPlan]) throws {
        var complaints: Set<String> = []
        for plan in plans where !allowed.keys.contains(where: plan.query.contains) {
            for node in plan.plan.all where node.isScan && !isSmall(node.relation ?? "") {
                guard node.type == "Seq Scan" || node.touched > bound else { continue }
                complaints.insert("\(plan.service), \(node.type) of \(Int(node.touched)) rows of \(node.relation ?? ""): \(plan.query)")
            }
        }
        #expect(complaints.isEmpty, "\(complaints.sorted().joined(separator: "\n"))")
    }

    private func fill(_ stack: LocalStack) async throws {
        let script = SharedData.projectRoot.appendingPathComponent("scripts/fill-captures.sql").path
        _ = try await LocalStack.run(
            "/usr/bin/env",
            [
                "psql", stack.addresses["RIAL_DATABASE_URL"] ?? "", "-Xq", "-v", "ON_ERROR_STOP=1",
                "-c", "SET rial.rows = \(Self.captures)", "-f", script,
            ], [:])
        // Without many copies of one photo, since queries for all of them read many rows.
        #expect(
            try await stack.sql("SELECT count(DISTINCT media_sha256) = count(media_sha256) AND count(*) > \(Self.captures) FROM captures")
                == ["t"])
    }

    /// Makes new sessions log the plan of each statement, with the numbers of rows that it read.
    private func logPlans(_ stack: LocalStack) async throws {
        _ = try await stack.sql("ALTER SYSTEM SET log_line_prefix = '\(LoggedPlan.linePrefix)'")
        let settings = [
            "session_preload_libraries = auto_explain", "auto_explain.log_min_duration = 0", "auto_explain.log_analyze = on",
            "auto_explain.log_timing = off", "auto_explain.log_nested_statements = on", "auto_explain.log_format = json",
        ]
        let alter = settings.map { "ALTER DATABASE rial SET \($0);" }.joined(separator: " ")
        _ = try await stack.sql("LOAD 'auto_explain'; \(alter) SELECT pg_reload_conf()")
    }

    /// Sends a capture in pieces, and again, and cancels another.
    private func resume(_ client: TestClient) async throws {
        var body = try await ResumableBody(client)
        let path = try await body.created(at: client)
        #expect(try await client.append(Array(body.bytes.prefix(100)), to: path, at: 0, isComplete: false).status == 204)
        let again = try await body.created(at: client)
        #expect(try await client.offset(of: again) == 100)
        #expect(try await client.append(Array(body.bytes.dropFirst(100)), to: again, at: 100, isComplete: true).status == 201)
        #expect(try await client.send("GET", again).status == 200)
        let known = try await client.send(
            "POST", TestClient.captures, headers: body.creation(isComplete: false) + [("Content-Length", "0")])
        #expect(known.status == 200)
        var other = try await ResumableBody(client, device: body.device)
        #expect(try await client.send("DELETE", other.created(at: client)).status == 204)
    }

    /// Sends a capture and a repetition, reads everything about it, verifies files, and withdraws it.
    private func drive(_ client: TestClient) async throws {
        var device = try await client.device()
        let parts = try CaptureParts()
        let form = try client.soundForm(&device, parts)
        let id = try #require(try await client.submit(&device, form).data["capture_id"] as? String)
        let capture = try await client.settled(id)
        #expect(try await client.submit(&device, form).data["capture_id"] as? String == id)
        #expect(try await client.signedRead(&device, "\(TestClient.captures)/\(id)").status == 200)
        #expect(try await client.send("GET", "\(TestClient.captures)/\(id)/events").status == 200)
        try await resume(client)
        let short = try #require(capture.data["short_id"] as? String)
        for path in ["/verify/\(id)", "/v/\(short)", "/verify-file"] {
            let page = try await client.send("GET", path)
            #expect(page.status == 200 || page.headers["location"] != nil, "\(path)")
        }
        let copy = try await client.send("GET", LocalStack.required().link(id, "c2pa.jpg", expires: Date().addingTimeInterval(60)))
        #expect(copy.status == 200)
        for (digest, status) in [(parts.digests.photo, 200), (ContentDigest(of: [1, 2, 3]), 404)] {
            #expect(try await client.send("GET", "/api/v1/verify-hash/\(digest.hex)").status == status)
        }
        for file in [parts.photo, copy.body] {
            #expect(try await client.verify([FormPart("file", file, filename: "photo.jpg")]).status == 200)
        }
        #expect(try await client.withdraw(id, &device).status == 204)
    }
}
