import Foundation
import Logging
import Testing

@testable import Persistence

@Suite("Database roles, table by table", .enabled(if: TestDatabase.isConfigured, TestDatabase.hint))
struct RoleTests {
    static let roles = ["gateway", "attestation_verifier", "depth_analyzer", "upload_sync", "evidence_assembler", "transparency_log"]

    /// Provides the product's tables in a separate schema, on which every role has USAGE.
    private func withTables(_ body: (PostgresConnection, _ schema: String) async throws -> Void) async throws {
        try await TestDatabase.with { database in
            try await Migrator.bundled().migrate(url: database.url, logger: Logger(label: "tests"))
            let connection = try await database.connect()
            for role in Self.roles { try await connection.execute(script: "GRANT USAGE ON SCHEMA \(database.schema) TO rial_\(role)") }
            var failure: (any Error)?
            do { try await body(connection, database.schema) } catch { failure = error }
            try await connection.execute(script: "RESET ROLE")
            await connection.close()
            if let failure { throw failure }
        }
    }

    @Test("have exactly the documented rights on every table and column", arguments: roles)
    func matrix(role: String) async throws {
        try await withTables { connection, schema in
            let rows = try await connection.query(
                """
                SELECT c.relname AS name, a.attname AS column,
                    has_column_privilege(\("rial_" + role), c.oid, a.attnum, 'SELECT') AS s,
                    has_column_privilege(\("rial_" + role), c.oid, a.attnum, 'INSERT') AS i,
                    has_column_privilege(\("rial_" + role), c.oid, a.attnum, 'UPDATE') AS u,
                    has_table_privilege(\("rial_" + role), c.oid, 'DELETE') AS d,
                    has_table_privilege(\("rial_" + role), c.oid, 'TRUNCATE, REFERENCES, TRIGGER') AS more
                FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
                WHERE c.relnamespace = to_regnamespace(\(schema)) AND c.relkind IN ('r', 'v', 'm', 'p') ORDER BY 1, 2
                """)
            #expect(rows.count > 100)
            var all: [String: Set<String>] = [:]
            var held: [String: [String: Set<String>]] = [:]
            for row in rows {
                let (table, column) = (try row.get("name", as: String.self), try row.get("column", as: String.self))
                all[table, default: []].insert(column)
                for (right, name) in [("S", "s"), ("I", "i"), ("U", "u"), ("D", "d")] where try row.get(name, as: Bool.self) {
                    held[table, default: [:]][right, default: []].insert(column)
                }
                #expect(try !row.get("more", as: Bool.self), "\(role): TRUNCATE, REFERENCES or TRIGGER on \(table)")
            }
            var expected: [String: [String: Set<String>]] = [:]
            for (table, rights) in RoleMatrix.rights(of: role) {
                let columns = try #require(all[table], "there is no table \(table)")
                for right in rights {
                    let words = right.split(separator: " ").map(String.init)
                    expected[table, default: [:]][words[0]] = words.count == 1 ? columns : Set(words.dropFirst())
                }
            }
            for table in all.keys.sorted() {
                for right in ["S", "I", "U", "D"] {
                    let (has, should) = (held[table]?[right] ?? [], expected[table]?[right] ?? [])
                    #expect(has == should, "\(role) \(right) \(table): \(has.symmetricDifference(should).sorted())")
                }
            }
        }
    }

    @Test("have no power over the cluster or the schema", arguments: roles)
    func powers(role: String) async throws {
        try await withTables { connection, schema in
            let rows = try await connection.query(
                """
                SELECT rolsuper OR rolcreaterole OR rolcreatedb OR rolbypassrls OR rolreplication
                    OR has_schema_privilege(oid, \(schema), 'CREATE')
                    OR EXISTS (SELECT FROM pg_auth_members WHERE member = pg_roles.oid) AS powerful
                FROM pg_roles WHERE rolname = \("rial_" + role)
                """)
            #expect(try rows.map { try $0.get("powerful", as: Bool.self) } == [false])
        }
    }

    /// A device, a complete capture and an incomplete one.
    private static let stored = """
        INSERT INTO devices (id, platform, model, has_lidar, attestation_level, key_id, public_key, attestation_object, registered_at)
            VALUES ('11111111-1111-4111-8111-111111111111', 'ios', 'iPhone 15 Pro', true, 'secure_enclave', '\\x01',
                decode(repeat('04', 65), 'hex'), '\\x01', now());
        INSERT INTO registrations (id, outcome, device_id)
            VALUES ('22222222-2222-4222-8222-222222222222', 'registered', '11111111-1111-4111-8111-111111111111');
        INSERT INTO captures (id, short_id, device_id, type, capture_mode, status, confidence_level, evidence, media_sha256, captured_at,
            uploaded_at, announcement) SELECT id::uuid, short, '11111111-1111-4111-8111-111111111111', 'photo', 'full', status, confidence,
            evidence::jsonb, sha256(short::bytea), now(), now(), '{}' FROM (VALUES
            ('33333333-3333-4333-8333-333333333333', 'aaaaaaaa', 'complete', 'low', '{}'),
            ('44444444-4444-4444-8444-444444444444', 'bbbbbbbb', 'processing', NULL, NULL)) AS v (id, short, status, confidence, evidence);
        INSERT INTO attestation_appraisals (capture_id, result) VALUES ('33333333-3333-4333-8333-333333333333', '{}');
        INSERT INTO depth_analyses (capture_id, result) VALUES ('33333333-3333-4333-8333-333333333333', '{}');
        INSERT INTO evidence_parts (capture_id, part, outcome, result)
            VALUES ('33333333-3333-4333-8333-333333333333', 'depth', 'done', '{}');
        INSERT INTO media_objects (capture_id, name, object_key, sha256, size_bytes, content_type)
            VALUES ('33333333-3333-4333-8333-333333333333', 'original.jpg', 'captures/33333333-3333-4333-8333-333333333333/original.jpg',
                sha256(''), 1, 'image/jpeg');
        INSERT INTO content_credentials (capture_id, manifest_id, certificate_serial, signed_at, has_timestamp, leaf_sha256,
                manifest_sha256)
            VALUES ('33333333-3333-4333-8333-333333333333', 'm', '1', now(), false, sha256(''), sha256(''));
        INSERT INTO challenges (challenge, expires_at, consumed_at, body_sha256, registration_id, submission)
            VALUES (sha256('c'), now(), now(), sha256('b'), '22222222-2222-4222-8222-222222222222', '{"platform": "ios"}');
        INSERT INTO statements (commitment, capture_id, sequence, kind, subject, time, statement, salt, evidence, raw, raw_salt, origin,
                leaf_index)
            VALUES (sha256('c'), '33333333-3333-4333-8333-333333333333', 0, 'assessment', decode(repeat('0a', 16), 'hex'), 1, 's',
                sha256('s'), 'e', '{}', sha256('r'), 'o', 5);
        INSERT INTO log_shards (origin, shard, log_key, size, root, published_size, frozen_reason, frozen_at)
            VALUES ('frozen.example/log/a', 'a', 'k', 1, sha256('a'), 1, 'forked', now());
        UPDATE log_shards SET next_key = 'n', end_index = 0, closed_at = now();
        INSERT INTO log_shards (origin, shard, log_key, size, root, published_size)
            VALUES ('rial.example/log/b', 'b', 'l', 2, sha256('b'), 1);
        INSERT INTO log_entries (origin, leaf_index, leaf, leaf_hash) VALUES ('rial.example/log/b', 0, 'x', sha256('\\x00' || 'x'::bytea));
        INSERT INTO log_checkpoints (origin, size, root, body, note, published_at)
            VALUES ('rial.example/log/b', 1, sha256('b'), 'b', 'n', now());
        INSERT INTO reassessments (capture_id) VALUES ('33333333-3333-4333-8333-333333333333');
        """

    private static func media(_ name: String, _ type: String, of capture: String, key: String? = nil) -> String {
        """
        INSERT INTO media_objects (capture_id, name, object_key, sha256, size_bytes, content_type)
        VALUES ('\(capture)', '\(name)', '\(key ?? "captures/\(capture)/\(name)")', sha256(''), 1, '\(type)')
        """
    }

    private static func capture(_ columns: String, _ values: String) -> String {
        """
        INSERT INTO captures (id, short_id, device_id, type, capture_mode, media_sha256, captured_at, uploaded_at, announcement\(columns))
        VALUES (gen_random_uuid(), 'cccccccc', '11111111-1111-4111-8111-111111111111', 'photo', 'full', sha256('x'), now(), now(),
            '{}'\(values))
        """
    }

    private static let complete = "33333333-3333-4333-8333-333333333333"
    private static let unfinished = "44444444-4444-4444-8444-444444444444"

    @Test("cannot do what would forge, hide or take over")
    func attacks() async throws {
        let attacks: [(role: String, statement: String)] = [
            ("gateway", Self.capture(", status, confidence_level, evidence", ", 'complete', 'high', '{}'")),
            ("gateway", Self.capture(", confidence_level", ", 'high'")),
            ("gateway", "UPDATE captures SET announcement = '{}'"),
            ("gateway", "SELECT receipt FROM devices"),
            ("gateway", "SELECT * FROM devices"),
            ("gateway", "UPDATE challenges SET registration_id = gen_random_uuid() WHERE consumed_at IS NOT NULL"),
            ("gateway", "UPDATE challenges SET submission = '{\"platform\": \"other\"}'"),
            ("gateway", "INSERT INTO registrations (id, outcome) VALUES (gen_random_uuid(), 'failed')"),
            ("gateway", Self.media("c2pa.jpg", "image/jpeg", of: Self.unfinished)),
            ("attestation_verifier", "UPDATE devices SET public_key = decode(repeat('05', 65), 'hex')"),
            ("attestation_verifier", "UPDATE devices SET request_key = '\\x01', request_key_algorithm = 'ed25519'"),
            ("attestation_verifier", "UPDATE devices SET environment = 'production', app_id = 'a'"),
            ("attestation_verifier", "DELETE FROM devices"),
            ("attestation_verifier", "UPDATE registrations SET outcome = 'failed', device_id = NULL"),
            ("attestation_verifier", "UPDATE attestation_appraisals SET result = '{\"status\": \"pass\"}'"),
            ("attestation_verifier", "INSERT INTO depth_analyses (capture_id, result) VALUES (gen_random_uuid(), '{}')"),
            ("attestation_verifier", "DELETE FROM assertion_counters"),
            ("depth_analyzer", "UPDATE depth_analyses SET result = '{\"verdict\": \"real\"}'"),
            ("depth_analyzer", "INSERT INTO attestation_appraisals (capture_id, result) VALUES (gen_random_uuid(), '{}')"),
            ("depth_analyzer", "SELECT public_key FROM devices"),
            ("upload_sync", Self.media("c2pa.jpg", "text/html", of: Self.unfinished)),
            ("upload_sync", Self.media("c2pa.jpg", "image/jpeg", of: Self.unfinished)),
            ("upload_sync", Self.media("original.jpg", "image/jpeg", of: Self.unfinished)),
            ("upload_sync", "UPDATE media_objects SET sha256 = sha256('y')"),
            ("upload_sync", "DELETE FROM media_objects"),
            ("upload_sync", "UPDATE captures SET status = 'failed'"),
            ("upload_sync", "SELECT public_key FROM devices"),
            ("evidence_assembler", Self.media("og.jpg", "image/jpeg", of: Self.unfinished, key: "captures/\(Self.complete)/original.jpg")),
            ("evidence_assembler", "UPDATE media_objects SET sha256 = sha256('y')"),
            ("upload_sync", "DELETE FROM media_damage"),
            ("evidence_assembler", Self.media("og.jpg", "text/html", of: Self.unfinished)),
            ("evidence_assembler", "UPDATE captures SET confidence_level = 'high' WHERE status = 'complete'"),
            (
                "evidence_assembler",
                "UPDATE captures SET status = 'failed', evidence = NULL, confidence_level = NULL WHERE status = 'complete'"
            ),
            ("evidence_assembler", "UPDATE captures SET announcement = '{}'"),
            ("evidence_assembler", "UPDATE evidence_parts SET result = '{\"verdict\": \"real\"}'"),
            ("evidence_assembler", "UPDATE content_credentials SET leaf_sha256 = sha256('x'), manifest_sha256 = sha256('x')"),
            ("evidence_assembler", "UPDATE content_credentials SET manifest_id = 'other'"),
            ("evidence_assembler", "INSERT INTO attestation_appraisals (capture_id, result) VALUES (gen_random_uuid(), '{}')"),
            ("evidence_assembler", "SELECT * FROM challenges"),
            ("evidence_assembler", "UPDATE statements SET statement = 'other', salt = salt"),
            ("evidence_assembler", "UPDATE statements SET origin = 'o', leaf_index = 6 WHERE leaf_index = 5"),
            ("evidence_assembler", "DELETE FROM statements"),
            (
                "evidence_assembler",
                """
                INSERT INTO statements (commitment, sequence, kind, subject, time)
                VALUES (sha256('x'), 1, 'withdrawal', decode(repeat('0a', 16), 'hex'), 9)
                """
            ),
            ("evidence_assembler", "INSERT INTO device_events (device_id, action, by) SELECT id, 'revoked', 'x' FROM devices"),
            ("evidence_assembler", "SELECT by FROM device_events"),
            ("gateway", "UPDATE statements SET leaf_index = 1, origin = 'o'"),
            ("transparency_log", "SELECT salt FROM statements"),
            ("transparency_log", "SELECT evidence FROM captures"),
            ("transparency_log", "UPDATE statements SET leaf_index = 1, origin = 'o'"),
            ("transparency_log", "UPDATE log_entries SET leaf = 'y'"),
            ("transparency_log", "DELETE FROM log_entries"),
            ("transparency_log", "DELETE FROM log_checkpoints"),
            ("transparency_log", "UPDATE log_checkpoints SET root = sha256('y')"),
            ("transparency_log", "UPDATE log_checkpoints SET note = 'other'"),
            ("transparency_log", "UPDATE log_shards SET size = 1 WHERE shard = 'b'"),
            ("transparency_log", "UPDATE log_shards SET published_size = 0 WHERE shard = 'b'"),
            ("transparency_log", "UPDATE log_shards SET root = sha256('y') WHERE shard = 'b'"),
            ("transparency_log", "UPDATE log_shards SET frozen_reason = NULL, frozen_at = NULL WHERE shard = 'a'"),
            ("transparency_log", "UPDATE log_shards SET closed_at = NULL WHERE shard = 'a'"),
            ("transparency_log", "UPDATE log_shards SET log_key = 'other'"),
            ("transparency_log", "INSERT INTO log_shards (origin, shard, log_key, size, root) VALUES ('x/log/c', 'c', 'm', 0, sha256(''))"),
            ("gateway", "UPDATE log_checkpoints SET note = 'other'"),
            ("gateway", "SELECT rial_mend_log_entry('rial.example/log/b', 0, 'y')"),
            ("evidence_assembler", "SELECT leaf FROM log_entries"),
            ("gateway", "SELECT outcome FROM reassessments"),
            ("depth_analyzer", "INSERT INTO reassessments (capture_id) SELECT id FROM captures WHERE status = 'complete'"),
            ("depth_analyzer", "UPDATE reassessments SET settled_at = now(), outcome = 'reassessed'"),
            ("depth_analyzer", "UPDATE reassessments SET requested_at = now()"),
            ("evidence_assembler", "UPDATE reassessments SET depth = '{}'"),
            ("evidence_assembler", "DELETE FROM reassessments"),
            // Statements that would disable the guards.
            ("upload_sync", "ALTER TABLE media_objects DISABLE TRIGGER ALL"),
            ("evidence_assembler", "SET session_replication_role = replica"),
            ("gateway", "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'"),
            ("gateway", "DROP FUNCTION rial_is_service() CASCADE"),
        ]
        try await withTables { connection, schema in
            try await connection.execute(script: Self.stored)
            for (role, statement) in attacks {
                try await connection.execute(script: "SET ROLE rial_\(role)")
                let error = await postgresError { try await connection.execute(script: statement) }
                // Rejected by a guard or for a missing right, but not by a check constraint of the table.
                let isGuarded = error?.message.contains("rial_\(role) may not ") == true
                #expect(error?.sqlState == (isGuarded ? "23514" : "42501"), "\(role): \(statement): \(error.map { "\($0)" } ?? "done")")
                try await connection.execute(script: "RESET ROLE")
            }
            // A temporary table that shadows the real one does not mislead the guards.
            try await connection.execute(script: "SET ROLE rial_depth_analyzer; CREATE TEMP TABLE captures (id uuid, status text)")
            let overwrite = "UPDATE depth_analyses SET result = '{}'"
            #expect(await postgresError { try await connection.execute(script: overwrite) }?.sqlState == "23514")
            try await connection.execute(script: "DROP TABLE pg_temp.captures; RESET ROLE")
            let left = try await connection.query("SELECT count(*) AS count FROM media_objects")
            #expect(try left.first?.get("count", as: Int64.self) == 1)
        }
    }

    @Test("can do what their services do")
    func work() async throws {
        let work: [(role: String, statement: String)] = [
            ("gateway", Self.capture("", "")),
            ("gateway", "UPDATE challenges SET announced_at = now()"),
            ("gateway", "DELETE FROM challenges"),
            ("attestation_verifier", "UPDATE devices SET revoked_at = now()"),
            ("attestation_verifier", "UPDATE devices SET revoked_at = NULL"),
            ("attestation_verifier", "INSERT INTO attestation_appraisals (capture_id, failure) VALUES ('\(Self.unfinished)', 'x')"),
            ("attestation_verifier", "UPDATE attestation_appraisals SET failure = NULL, result = '{}' WHERE result IS NULL"),
            ("evidence_assembler", Self.media("original.jpg", "image/jpeg", of: Self.unfinished)),
            ("evidence_assembler", "UPDATE media_objects SET width = 4, height = 3"),
            ("depth_analyzer", "INSERT INTO depth_analyses (capture_id, result) VALUES ('\(Self.unfinished)', '{}')"),
            ("depth_analyzer", "UPDATE depth_analyses SET result = '{\"pictures\": {}}' WHERE capture_id = '\(Self.unfinished)'"),
            ("evidence_assembler", Self.media("manifest.c2pa", "application/c2pa", of: Self.complete)),
            (
                "evidence_assembler",
                """
                INSERT INTO statements (commitment, capture_id, sequence, kind, subject, time, statement, salt)
                VALUES (sha256('y'), '\(Self.complete)', 1, 'revocation', decode(repeat('0a', 16), 'hex'), 9, 's', sha256('salt'))
                """
            ),
            ("evidence_assembler", "UPDATE statements SET origin = 'o', leaf_index = 6 WHERE leaf_index IS NULL"),
            ("evidence_assembler", "UPDATE captures SET stated_at = now() WHERE status = 'complete'"),
            ("evidence_assembler", "UPDATE captures SET evidence = '{\"content_credentials\": {}}' WHERE status = 'complete'"),
            (
                "evidence_assembler",
                """
                UPDATE captures SET status = 'complete', confidence_level = 'high', evidence = '{}', completed_at = now()
                WHERE status = 'processing'
                """
            ),
            // An operator asked for another verdict: it may change once the depth is measured, and the card with it.
            ("evidence_assembler", Self.media("og.jpg", "image/jpeg", of: Self.complete)),
            ("depth_analyzer", "UPDATE reassessments SET taken_at = now(), depth = '{}'"),
            ("evidence_assembler", "UPDATE captures SET confidence_level = 'medium' WHERE id = '\(Self.complete)'"),
            ("evidence_assembler", "UPDATE media_objects SET sha256 = sha256('card'), size_bytes = 2 WHERE name = 'og.jpg'"),
            ("evidence_assembler", "UPDATE reassessments SET settled_at = now(), outcome = 'reassessed'"),
        ]
        try await withTables { connection, schema in
            try await connection.execute(script: Self.stored)
            for (role, statement) in work {
                try await connection.execute(script: "SET ROLE rial_\(role)")
                let error = await postgresError { try await connection.execute(script: statement) }
                #expect(error == nil, "\(role): \(statement): \(error.map { "\($0)" } ?? "")")
                try await connection.execute(script: "RESET ROLE")
            }
            // Then it is settled.
            for (role, statement) in [
                ("depth_analyzer", "UPDATE reassessments SET depth = NULL"),
                ("evidence_assembler", "UPDATE reassessments SET settled_at = NULL, outcome = NULL"),
                ("evidence_assembler", "UPDATE captures SET confidence_level = 'high' WHERE id = '\(Self.complete)'"),
                ("evidence_assembler", "UPDATE media_objects SET sha256 = sha256('other') WHERE name = 'og.jpg'"),
            ] {
                try await connection.execute(script: "SET ROLE rial_\(role)")
                #expect(await postgresError { try await connection.execute(script: statement) }?.sqlState == "23514", "\(statement)")
                try await connection.execute(script: "RESET ROLE")
            }
        }
    }
}
