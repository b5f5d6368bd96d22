import Foundation
import Logging
import TestSupport
import Testing

@testable import Persistence

@Suite("What the tables forget of a withdrawn capture", .enabled(if: TestDatabase.isConfigured, TestDatabase.hint))
struct WithdrawalTests {
    private static let id = "33333333-3333-4333-8333-333333333333"
    private static let other = "44444444-4444-4444-8444-444444444444"

    private func withTables(_ body: (PostgresConnection, _ second: PostgresConnection) async throws -> Void) async throws {
        try await TestDatabase.with { database in
            try await Migrator.bundled().migrate(url: database.url, logger: Logger(label: "tests"))
            let connections = [try await database.connect(), try await database.connect()]
            for role in RoleTests.roles {
                try await connections[0].execute(script: "GRANT USAGE ON SCHEMA \(database.schema) TO rial_\(role)")
            }
            try await connections[0].execute(script: Self.stored)
            var failure: (any Error)?
            do { try await body(connections[0], connections[1]) } catch { failure = error }
            for connection in connections { await connection.close() }
            if let failure { throw failure }
        }
    }

    /// Two devices' captures of one photo, the first with a row in every table.
    private static let stored = """
        INSERT INTO devices (id, platform, model, has_lidar, attestation_level, key_id, public_key, attestation_object, registered_at)
            SELECT id::uuid, 'ios', 'iPhone 15 Pro', true, 'secure_enclave', key::bytea, decode(repeat('04', 65), 'hex'), 'x', now()
            FROM (VALUES ('11111111-1111-4111-8111-111111111111', 'a'), ('22222222-2222-4222-8222-222222222222', 'b')) AS v (id, key);
        INSERT INTO captures (id, short_id, device_id, type, capture_mode, status, confidence_level, evidence, media_sha256, depth_sha256,
            assertion_sha256, captured_at, uploaded_at, completed_at, announcement, detection, location)
            SELECT id::uuid, short, device::uuid, 'photo', 'full', 'complete', 'low', '{"e": 1}', sha256('photo'), sha256(short::bytea),
                sha256('a'), now(), now(), now(), '{"a": 1}', '{"d": 1}', '{"l": 1}'
            FROM (VALUES ('\(id)', 'aaaaaaaa', '11111111-1111-4111-8111-111111111111'),
                ('\(other)', 'bbbbbbbb', '22222222-2222-4222-8222-222222222222')) AS v (id, short, device);
        INSERT INTO attestation_appraisals (capture_id, result) VALUES ('\(id)', '{}');
        INSERT INTO depth_analyses (capture_id, result) VALUES ('\(id)', '{}');
        INSERT INTO sync_jobs (capture_id, result) VALUES ('\(id)', '{}');
        INSERT INTO evidence_parts (capture_id, part, outcome, result)
            VALUES ('\(id)', 'depth', 'done', '{}'), ('\(other)', 'depth', 'done', '{}');
        INSERT INTO media_objects (capture_id, name, object_key, sha256, size_bytes, content_type)
            VALUES ('\(id)', 'c2pa.jpg', 'captures/\(id)/c2pa.jpg', sha256('copy'), 1, 'image/jpeg');
        INSERT INTO content_credentials (capture_id, manifest_id, certificate_serial, signed_at, has_timestamp)
            VALUES ('\(id)', 'm', '1', now(), false);
        INSERT INTO reassessments (capture_id, depth) VALUES ('\(id)', '{}');
        INSERT INTO uploads (id, type, token_sha256, device_id, interop_version, content_type, body_sha256, length_bytes, offset_bytes,
                received_at, state, capture_id, answer, expires_at)
            VALUES (gen_random_uuid(), 'photo', sha256('token'), '11111111-1111-4111-8111-111111111111', 8,
                'multipart/form-data; boundary=x', sha256('body'), 10, 10, now(), 'done', '\(id)', '{}', now() + interval '1 hour');
        INSERT INTO media_damage (capture_id, name, object_key, problem) VALUES ('\(id)', 'c2pa.jpg', 'captures/\(id)/c2pa.jpg', 'missing');
        INSERT INTO statements (commitment, capture_id, sequence, kind, subject, time, statement, salt, evidence, raw, raw_salt) VALUES
            (sha256('c0'), '\(id)', 0, 'assessment', decode(repeat('0a', 16), 'hex'), 7, 's0', sha256('salt0'), 'e0', '{"photo": "00"}',
                sha256('raw0')),
            (sha256('c1'), '\(id)', 1, 'revocation', decode(repeat('0a', 16), 'hex'), 8, 's1', sha256('salt1'), NULL, NULL, NULL),
            (sha256('d0'), '\(other)', 0, 'assessment', decode(repeat('0b', 16), 'hex'), 9, 's2', sha256('salt2'), 'e2', '{}',
                sha256('raw2'));
        UPDATE statements SET origin = 'rial.example/log/2026', leaf_index = 5 WHERE commitment = sha256('c0');
        INSERT INTO assertion_counters (device_id, counter, capture_id) VALUES ('11111111-1111-4111-8111-111111111111', 7, '\(id)');
        INSERT INTO verification_logs (method, file_sha256, status, capture_id) VALUES
            ('hash', sha256('photo'), 'verified', '\(id)'), ('hash', sha256('photo'), 'verified', '\(other)'),
            ('hash', sha256('copy'), 'no_record', NULL), ('hash', sha256('foreign'), 'no_record', NULL);
        INSERT INTO evidence_assembler_outbox (topic, record_key, headers, value) VALUES
            ('rial.capture.evidence-assembled.v1', '\(id)', '[]', 'low'), ('rial.capture.evidence-assembled.v1', '\(other)', '[]', 'low');
        """

    private func count(_ what: String, _ connection: PostgresConnection) async throws -> Int64 {
        try await connection.query("SELECT count(*) AS count FROM \(unescaped: what)").first?.get("count", as: Int64.self) ?? -1
    }

    private func withdraw(_ id: String, _ connection: PostgresConnection) async throws -> String? {
        try await connection.query("SELECT rial_withdraw(\(id)::uuid) AS outcome").first?.getOptional("outcome", as: String.self)
    }

    @Test("is everything but its ids, its owner, the day and the used counter")
    func erased() async throws {
        try await withTables { connection, _ in
            let tables = try await connection.query(
                """
                SELECT relname::text AS name FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
                WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND attname = 'capture_id'
                """
            ).map { try $0.get("name", as: String.self) }
            #expect(tables.count >= 10)
            for table in tables where table != "withdrawals" {
                let rows = try await count("\(table) WHERE capture_id = '\(Self.id)'", connection)
                #expect(rows > 0, "nothing in \(table) that could be forgotten")
            }
            try await connection.execute(script: "SET ROLE rial_gateway")
            #expect(try await withdraw(Self.id, connection) == "withdrawn")
            #expect(try await withdraw(Self.id, connection) == "withdrawn_before")
            #expect(try await withdraw("55555555-5555-4555-8555-555555555555", connection) == nil)
            try await connection.execute(script: "RESET ROLE")
            let kept = try await connection.query(
                """
                SELECT key FROM captures CROSS JOIN jsonb_each(to_jsonb(captures))
                WHERE id = \(Self.id)::uuid AND value <> 'null' ORDER BY key
                """
            ).map { try $0.get("key", as: String.self) }
            #expect(
                kept.filter { $0 != "captured_precision" } == [
                    "capture_mode", "device_id", "id", "short_id", "status", "type", "withdrawn_at",
                ])
            for table in tables where !["assertion_counters", "withdrawals"].contains(table) {
                #expect(try await count("\(table) WHERE capture_id = '\(Self.id)'", connection) == 0, "\(table)")
            }
            #expect(try await count("assertion_counters WHERE capture_id = '\(Self.id)'", connection) == 1)
            // Nothing that was announced before, and that the log has a leaf to enter.
            let announced = try await connection.query(
                "SELECT convert_from(value, 'UTF8') AS value FROM evidence_assembler_outbox WHERE record_key = \(Self.id)"
            ).map { try $0.get("value", as: String.self) }
            #expect(announced == [#"{"status": "withdrawn", "capture_id": "\#(Self.id)"}"#])
            #expect(
                try await count("gateway_outbox WHERE record_key = '\(Self.id)' AND topic = 'rial.capture.withdrawn.v1'", connection) == 1)
        }
    }

    @Test("is of its statements the leaves, and one more of the same subject that nothing opens")
    func statements() async throws {
        try await withTables { connection, _ in
            let now = try await connection.query("SELECT floor(extract(epoch FROM now()))::bigint AS now")
            let before = try now.first?.get("now", as: Int64.self)
            _ = try await withdraw(Self.id, connection)
            _ = try await withdraw(Self.id, connection)
            let rows = try await connection.query(
                """
                SELECT sequence::bigint, kind, time, leaf_index, encode(commitment, 'hex') AS commitment,
                    num_nonnulls(capture_id, statement, salt, evidence, raw, raw_salt, not_before)::bigint AS kept
                FROM statements WHERE subject = decode(repeat('0a', 16), 'hex') ORDER BY sequence
                """)
            #expect(try rows.map { try $0.get("kind", as: String.self) } == ["assessment", "revocation", "withdrawal"])
            #expect(try rows.map { try $0.get("sequence", as: Int64.self) } == [0, 1, 2])
            #expect(try rows.map { try $0.get("kept", as: Int64.self) } == [0, 0, 0])
            #expect(try rows.map { try $0.getOptional("leaf_index", as: Int64.self) } == [5, nil, nil])
            #expect(try Set(rows.map { try $0.get("commitment", as: String.self) }).count == 3)
            let time = try #require(try rows.last?.get("time", as: Int64.self))
            #expect(time >= (before ?? .max) && time < (before ?? 0) + 60)
            #expect(try await count("statements WHERE statement IS NOT NULL AND salt IS NOT NULL", connection) == 1)
        }
    }

    @Test("does not tell when, where the capture's time is kept back")
    func held() async throws {
        try await withTables { connection, _ in
            try await connection.execute(script: "UPDATE statements SET not_before = '2026-01-02 00:30Z' WHERE commitment = sha256('c0')")
            _ = try await withdraw(Self.id, connection)
            let rows = try await connection.query(
                """
                SELECT time = extract(epoch FROM date_trunc('day', now(), 'UTC') + interval '1 day') AS is_midnight,
                    not_before = date_trunc('day', now(), 'UTC') + interval '1 day 30 minutes' AS is_held
                FROM statements WHERE kind = 'withdrawal'
                """)
            #expect(try rows.map { try $0.get("is_midnight", as: Bool.self) } == [true])
            #expect(try rows.map { try $0.get("is_held", as: Bool.self) } == [true])
        }
    }

    @Test("is nothing to the log if the capture was never complete")
    func unstated() async throws {
        try await withTables { connection, _ in
            try await connection.execute(script: "DELETE FROM statements")
            _ = try await withdraw(Self.id, connection)
            #expect(try await count("statements", connection) == 0)
            #expect(try await count("evidence_assembler_outbox WHERE record_key = '\(Self.id)'", connection) == 0)
        }
    }

    @Test("is not what is another's, nor the digest of a file that another has as well")
    func others() async throws {
        try await withTables { connection, _ in
            _ = try await withdraw(Self.id, connection)
            #expect(try await count("captures WHERE id = '\(Self.other)' AND status = 'complete'", connection) == 1)
            #expect(try await count("evidence_parts WHERE capture_id = '\(Self.other)'", connection) == 1)
            #expect(try await count("evidence_assembler_outbox WHERE record_key = '\(Self.other)'", connection) == 1)
            #expect(try await count("statements WHERE capture_id = '\(Self.other)' AND salt IS NOT NULL", connection) == 1)
            #expect(try await count("verification_logs WHERE file_sha256 = sha256('photo')", connection) == 1)
            #expect(try await count("verification_logs WHERE file_sha256 = sha256('copy')", connection) == 0)
            #expect(try await count("verification_logs WHERE file_sha256 = sha256('foreign')", connection) == 1)
            _ = try await withdraw(Self.other, connection)
            #expect(try await count("verification_logs WHERE file_sha256 = sha256('photo')", connection) == 0)
            #expect(try await count("captures WHERE media_sha256 IS NOT NULL", connection) == 0)
        }
    }

    @Test("does not come back: services' rows of it are left out, and no service makes a capture withdrawn or alive")
    func guarded() async throws {
        let late: [(role: String, statement: String)] = [
            ("attestation_verifier", "INSERT INTO attestation_appraisals (capture_id, result) VALUES ('\(Self.id)', '{}')"),
            (
                "depth_analyzer",
                """
                INSERT INTO depth_analyses (capture_id, result) VALUES ('\(Self.id)', '{}')
                ON CONFLICT (capture_id) DO UPDATE SET result = EXCLUDED.result
                """
            ),
            ("upload_sync", "INSERT INTO sync_jobs (capture_id, result) VALUES ('\(Self.id)', '{}')"),
            (
                "upload_sync",
                "INSERT INTO media_damage (capture_id, name, object_key, problem) VALUES ('\(Self.id)', 'og.jpg', 'k', 'missing')"
            ),
            (
                "evidence_assembler",
                "INSERT INTO evidence_parts (capture_id, part, outcome, result) VALUES ('\(Self.id)', 'depth', 'done', '{}')"
            ),
            (
                "evidence_assembler",
                """
                INSERT INTO media_objects (capture_id, name, object_key, sha256, size_bytes, content_type)
                VALUES ('\(Self.id)', 'og.jpg', 'captures/\(Self.id)/og.jpg', sha256('x'), 1, 'image/jpeg')
                """
            ),
            (
                "evidence_assembler",
                """
                INSERT INTO content_credentials (capture_id, manifest_id, certificate_serial, signed_at, has_timestamp)
                VALUES ('\(Self.id)', 'n', '1', now(), false)
                """
            ),
            (
                "evidence_assembler",
                """
                INSERT INTO statements (commitment, capture_id, sequence, kind, subject, time, statement, salt)
                VALUES (sha256('late'), '\(Self.id)', 7, 'revocation', decode(repeat('0c', 16), 'hex'), 9, 's', sha256('salt'))
                """
            ),
            ("evidence_assembler", "UPDATE captures SET status = 'failed', failure = 'x' WHERE id = '\(Self.id)'"),
            (
                "gateway",
                """
                INSERT INTO verification_logs (method, file_sha256, status, capture_id)
                VALUES ('hash', sha256('p'), 'verified', '\(Self.id)')
                """
            ),
        ]
        let refused: [(role: String, statement: String)] = [
            ("evidence_assembler", "UPDATE captures SET status = 'withdrawn' WHERE id = '\(Self.other)'"),
            ("evidence_assembler", "SELECT rial_withdraw('\(Self.other)')"), ("upload_sync", "SELECT rial_withdraw('\(Self.other)')"),
            ("gateway", "SELECT rial_objects_came_late('\(Self.id)')"), ("transparency_log", "SELECT rial_objects_came_late('\(Self.id)')"),
            ("upload_sync", "SELECT reason FROM withdrawals"), ("upload_sync", "DELETE FROM withdrawals"),
            ("gateway", "INSERT INTO withdrawals (capture_id, withdrawn_at, by) VALUES ('\(Self.other)', now(), 'owner')"),
        ]
        try await withTables { connection, _ in
            _ = try await withdraw(Self.id, connection)
            for (role, statement) in late {
                try await connection.execute(script: "SET ROLE rial_\(role)")
                let error = await postgresError { try await connection.execute(script: statement) }
                #expect(error == nil, "\(role): \(statement): \(error.map { "\($0)" } ?? "")")
                try await connection.execute(script: "RESET ROLE")
            }
            for table in [
                "attestation_appraisals", "depth_analyses", "sync_jobs", "media_damage", "evidence_parts", "media_objects",
                "content_credentials", "verification_logs", "statements",
            ] {
                #expect(try await count("\(table) WHERE capture_id = '\(Self.id)'", connection) == 0, "\(table)")
            }
            #expect(try await count("verification_logs WHERE file_sha256 = sha256('p')", connection) == 0)
            #expect(try await count("captures WHERE id = '\(Self.id)' AND status = 'withdrawn'", connection) == 1)
            for (role, statement) in refused {
                try await connection.execute(script: "SET ROLE rial_\(role)")
                let error = await postgresError { try await connection.execute(script: statement) }
                #expect(error?.message.contains("permission denied") == true, "\(role): \(statement): \(error.map { "\($0)" } ?? "done")")
                try await connection.execute(script: "RESET ROLE")
            }
        }
    }

    @Test(
        "has its objects looked for again where a service says that it stored some",
        arguments: ["attestation_verifier", "depth_analyzer", "upload_sync", "evidence_assembler"])
    func untold(role: String) async throws {
        try await withTables { connection, _ in
            _ = try await withdraw(Self.id, connection)
            try await connection.execute(script: "UPDATE withdrawals SET erased_at = now(), erase_next_at = now() + interval '1 hour'")
            for id in [Self.other, Self.id] {
                let due: Int64 = id == Self.id ? 1 : 0
                try await connection.execute(script: "SET ROLE rial_\(role); SELECT rial_objects_came_late('\(id)'); RESET ROLE")
                #expect(try await count("withdrawals WHERE erased_at IS NULL AND erase_next_at <= now()", connection) == due)
            }
        }
    }

    @Test("is erased also where a service is writing at that moment: the withdrawal waits for it", arguments: [true, false])
    func concurrent(serviceIsFirst: Bool) async throws {
        try await withTables { connection, second in
            try await connection.execute(script: "DELETE FROM depth_analyses")
            let insert = "INSERT INTO depth_analyses (capture_id, result) VALUES ('\(Self.id)', '{\"late\": true}')"
            let withdrawal = "SELECT rial_withdraw('\(Self.id)')"
            try await connection.execute(script: "BEGIN")
            try await connection.execute(script: serviceIsFirst ? insert : withdrawal)
            async let waiting: Void = second.execute(script: serviceIsFirst ? withdrawal : insert)
            try await waitForWaiter(behind: connection)
            try await connection.execute(script: "COMMIT")
            try await waiting
            #expect(try await count("depth_analyses", connection) == 0)
            #expect(try await count("captures WHERE status = 'withdrawn'", connection) == 1)
        }
    }

    @Test("is the digest in the log of look-ups too if two captures of one file are withdrawn at once")
    func bothAtOnce() async throws {
        try await withTables { connection, second in
            try await connection.execute(
                script: "INSERT INTO verification_logs (method, file_sha256, status) VALUES ('hash', sha256('photo'), 'no_record')")
            try await connection.execute(script: "BEGIN; SELECT rial_withdraw('\(Self.id)')")
            async let waiting: Void = second.execute(script: "SELECT rial_withdraw('\(Self.other)')")
            try await waitForWaiter(behind: connection)
            try await connection.execute(script: "COMMIT")
            try await waiting
            #expect(try await count("captures WHERE status = 'withdrawn'", connection) == 2)
            #expect(try await count("verification_logs WHERE file_sha256 = sha256('photo')", connection) == 0)
        }
    }

    @Test("is found in a long log of look-ups without reading it, since all withdrawals wait for that one after another")
    func indexed() async throws {
        try await withTables { connection, _ in
            try await connection.execute(
                script: """
                    INSERT INTO verification_logs (method, file_sha256, status)
                        SELECT 'hash', sha256(number::text::bytea), 'no_record' FROM generate_series(1, 20000) AS number;
                    ANALYZE verification_logs
                    """)
            let read: SQL = """
                SELECT seq_tup_read AS rows FROM pg_stat_xact_user_tables
                WHERE schemaname = current_schema() AND relname = 'verification_logs'
                """
            // In one transaction, since only that counts at once.
            try await connection.execute(script: "BEGIN")
            let before = try await connection.query(read).first?.get("rows", as: Int64.self)
            #expect(try await withdraw(Self.id, connection) == "withdrawn")
            let after = try await connection.query(read).first?.get("rows", as: Int64.self)
            try await connection.execute(script: "COMMIT")
            #expect(before != nil && before == after)
            #expect(try await count("verification_logs WHERE capture_id = '\(Self.id)' OR file_sha256 = sha256('copy')", connection) == 0)
            #expect(try await count("verification_logs WHERE file_sha256 IS NOT NULL", connection) == 20_002)
        }
    }

    @Test("lets the same be sent again, as often as it is withdrawn")
    func again() async throws {
        try await withTables { connection, _ in
            for number in 0..<3 {
                let id = UUID()
                let rows = try await connection.query(
                    """
                    INSERT INTO captures (id, short_id, device_id, type, capture_mode, media_sha256, captured_at, uploaded_at, announcement)
                    VALUES (\(id), \("cccccc0\(number)"), '11111111-1111-4111-8111-111111111111', 'photo', 'full', sha256('same'), now(),
                        now(), '{}')
                    ON CONFLICT ON CONSTRAINT captures_same_upload DO NOTHING RETURNING id
                    """)
                #expect(rows.count == 1)
                let twice = try await connection.query(
                    """
                    INSERT INTO captures (id, short_id, device_id, type, capture_mode, media_sha256, captured_at, uploaded_at, announcement)
                    VALUES (gen_random_uuid(), 'dddddddd', '11111111-1111-4111-8111-111111111111', 'photo', 'full', sha256('same'),
                        now(), now(), '{}')
                    ON CONFLICT ON CONSTRAINT captures_same_upload DO NOTHING RETURNING id
                    """)
                #expect(twice.isEmpty)
                #expect(try await withdraw(id.uuidString, connection) == "withdrawn")
            }
        }
    }

    @Test("may not be missing of any other capture")
    func constraints() async throws {
        try await withTables { connection, _ in
            for column in ["media_sha256", "uploaded_at", "announcement"] {
                let error = await postgresError {
                    try await connection.execute(script: "UPDATE captures SET \(column) = NULL WHERE id = '\(Self.other)'")
                }
                #expect(error?.sqlState == "23514", "\(column)")
            }
            _ = try await withdraw(Self.id, connection)
            let error = await postgresError {
                try await connection.execute(script: "UPDATE captures SET location = '{}' WHERE id = '\(Self.id)'")
            }
            #expect(error?.sqlState == "23514")
        }
    }
}
