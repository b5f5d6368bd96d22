import Foundation
import TestSupport
import Testing

extension SystemTests {
    @Suite("Database roles of the services")
    struct APIRoles {
        /// The tables that each service writes by SPEC §1; outbox and inbox tables include the service's name.
        static let writers: [String: Set<String>] = [
            "gateway": ["challenges", "captures", "intakes", "rate_limits", "upload_segments", "uploads", "verification_logs"],
            "attestation-verifier": ["devices", "device_events", "registrations", "assertion_counters", "attestation_appraisals"],
            "depth-analyzer": ["depth_analyses", "reassessments"],
            "upload-sync": ["media_damage", "sync_jobs", "intakes", "withdrawals"],
            "evidence-assembler": ["evidence_parts", "captures", "media_objects", "content_credentials", "statements", "reassessments"],
            "transparency-log": ["log_shards", "log_pending", "log_entries", "log_checkpoints", "log_cosignatures"],
        ]

        @Test("can write their own tables and no other", arguments: LocalStack.services)
        func tables(service: String) async throws {
            let stack = try LocalStack.required()
            let role = "rial_" + service.replacing("-", with: "_")
            let rows = try await stack.sql(
                """
                SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
                AND has_any_column_privilege('\(role)', oid, 'INSERT, UPDATE')
                """)
            let own = service.replacing("-", with: "_")
            let expected = try #require(Self.writers[service]).union(["outbox", "inbox", "heartbeat"].map { "\(own)_\($0)" })
                .union(service == "gateway" ? [] : ["\(own)_in_hand"])
            #expect(Set(rows) == expected)
            let deletable = try await stack.sql(
                """
                SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
                AND has_table_privilege('\(role)', oid, 'DELETE, TRUNCATE')
                """)
            #expect(Set(deletable).isSubset(of: expected))
            let powers = try await stack.sql(
                """
                SELECT rolsuper OR rolcreaterole OR rolcreatedb OR rolbypassrls OR rolreplication
                OR has_schema_privilege(oid, 'public', 'CREATE') FROM pg_roles WHERE rolname = '\(role)'
                """)
            #expect(powers == ["f"])
        }

        @Test("are refused everything else on their own connections")
        func refused() async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            var device = try await client.device()
            let id = try await client.capture(&device, CaptureParts())
            _ = try await client.settled(id)
            let attempts = [
                ("gateway", "UPDATE captures SET confidence_level = 'high' WHERE id = '\(id)'"),
                ("gateway", "DELETE FROM captures WHERE id = '\(id)'"),
                ("gateway", "UPDATE devices SET revoked_at = NULL"),
                ("attestation-verifier", "DELETE FROM assertion_counters"),
                ("attestation-verifier", "DELETE FROM device_events"),
                ("attestation-verifier", "UPDATE device_events SET reason = 'none'"),
                ("attestation-verifier", "UPDATE captures SET status = 'failed'"),
                ("depth-analyzer", "SELECT receipt FROM devices"),
                ("depth-analyzer", "UPDATE depth_analyses SET result = '{}' WHERE capture_id = '\(id)'"),
                ("upload-sync", "UPDATE captures SET status = 'complete'"),
                ("upload-sync", "DELETE FROM media_objects WHERE capture_id = '\(id)'"),
                ("gateway", "SELECT receipt FROM devices"),
                ("attestation-verifier", "UPDATE devices SET public_key = public_key"),
                ("evidence-assembler", "UPDATE captures SET status = 'withdrawn' WHERE id = '\(id)'"),
                ("evidence-assembler", "SELECT rial_withdraw('\(id)')"),
                ("evidence-assembler", "UPDATE captures SET confidence_level = 'low' WHERE id = '\(id)'"),
                ("evidence-assembler", "UPDATE captures SET media_sha256 = media_sha256"),
                ("evidence-assembler", "UPDATE statements SET statement = NULL"),
                ("evidence-assembler", "DELETE FROM statements"),
                ("transparency-log", "SELECT statement FROM statements"),
                ("transparency-log", "SELECT salt FROM statements"),
                ("transparency-log", "SELECT id FROM captures"),
                ("transparency-log", "UPDATE log_entries SET leaf = leaf"),
                ("transparency-log", "DELETE FROM log_entries"),
                ("transparency-log", "UPDATE log_checkpoints SET body = body"),
                ("evidence-assembler", "INSERT INTO assertion_counters SELECT * FROM assertion_counters"),
            ]
            for (service, statement) in attempts {
                await #expect("\(service): \(statement)") {
                    try await stack.sql(statement, as: service)
                } throws: { error in
                    (error as? LocalStack.CommandFailed)?.output.contains("permission denied") == true
                }
            }
            #expect(try await stack.sql("SELECT count(*) FROM captures WHERE id = '\(id)'", as: "gateway") == ["1"])
        }
    }
}

extension LocalStack {
    /// Runs SQL as a service's role.
    func sql(_ statement: String, as service: String) async throws -> [String] {
        let file = SharedData.projectRoot.appendingPathComponent(".local/\(name)/keys/role-\(service)")
        var url = try #require(URLComponents(string: addresses["RIAL_DATABASE_URL"] ?? ""))
        url.user = "rial_" + service.replacing("-", with: "_")
        url.password = try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        let output = try await Self.run("/usr/bin/env", ["psql", try #require(url.string), "-tAqc", statement], [:])
        return output.split(separator: "\n").map(String.init)
    }
}
