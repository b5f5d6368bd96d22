import Foundation
import Logging
import TestSupport
import Testing

@testable import Persistence

@Suite("What a withdrawal leaves of the upload that became the capture", .enabled(if: TestDatabase.isConfigured, TestDatabase.hint))
struct WithdrawnUploadTests {
    private static let device = "11111111-1111-4111-8111-111111111111"
    private static let capture = "33333333-3333-4333-8333-333333333333"
    private static let upload = "99999999-9999-4999-8999-999999999999"
    private static let other = "88888888-8888-4888-8888-888888888888"
    private static let withdrawal = "SELECT rial_withdraw('\(capture)')"
    /// As the gateway closes an upload that became the capture, or was found to be it.
    private static let closing = """
        UPDATE uploads SET state = 'done', capture_id = '\(capture)', answer = '{}', runner = NULL, running_since = NULL
        WHERE id = '\(other)' AND state = 'open'
        """

    /// A capture and two uploads that have all their bytes: the one that the capture was made of, and another of the same device.
    private func withTables(_ body: (PostgresConnection, _ second: PostgresConnection) async throws -> Void) async throws {
        try await TestDatabase.with { database in
            try await Migrator.bundled().migrate(url: database.url, logger: Logger(label: "tests"))
            let connections = [try await database.connect(), try await database.connect()]
            var failure: (any Error)?
            do {
                try await connections[0].execute(script: "GRANT USAGE ON SCHEMA \(database.schema) TO rial_gateway")
                try await connections[0].execute(
                    script: """
                        INSERT INTO devices (id, platform, model, has_lidar, attestation_level, key_id, public_key, attestation_object,
                            registered_at)
                        VALUES ('\(Self.device)', 'ios', 'iPhone 15 Pro', true, 'secure_enclave', 'a', decode(repeat('04', 65), 'hex'),
                            'x', now());
                        INSERT INTO captures (id, short_id, device_id, type, capture_mode, media_sha256, captured_at, uploaded_at,
                            announcement)
                        VALUES ('\(Self.capture)', 'aaaaaaaa', '\(Self.device)', 'photo', 'full', sha256('photo'), now(), now(), '{}');
                        INSERT INTO uploads (id, type, token_sha256, device_id, interop_version, content_type, body_sha256, length_bytes,
                            offset_bytes, received_at, runner, running_since, expires_at)
                        SELECT upload::uuid, 'photo', sha256(upload::bytea), '\(Self.device)', 8, 'multipart/form-data; boundary=x',
                            sha256('body'), 10, 10, uploaded_at - age, gen_random_uuid(), now(), now() + interval '1 hour'
                        FROM captures, (VALUES ('\(Self.upload)', interval '0'), ('\(Self.other)', interval '1 second')) AS v (upload, age);
                        """)
                try await body(connections[0], connections[1])
            } catch { failure = error }
            for connection in connections { await connection.close() }
            if let failure { throw failure }
        }
    }

    private func expect(_ upload: String, knowsCapture: Bool, _ state: String, _ connection: PostgresConnection) async throws {
        let rows = try await connection.query(
            """
            SELECT state, capture_id IS NOT NULL OR answer IS NOT NULL OR body_sha256 = sha256('body') AS knows FROM uploads
            WHERE id = \(upload)::uuid
            """)
        #expect(try rows.first?.get("state", as: String.self) == state)
        #expect(try rows.first?.get("knows", as: Bool.self) == knowsCapture)
    }

    @Test("is the name of its segments, also if a gateway of an earlier version died before it could close it; another upload goes on")
    func open() async throws {
        try await withTables { connection, _ in
            try await connection.execute(script: "SET ROLE rial_gateway; \(Self.withdrawal); RESET ROLE")
            try await expect(Self.upload, knowsCapture: false, "ended", connection)
            try await expect(Self.other, knowsCapture: true, "open", connection)
            let noted = try await connection.query("SELECT upload_ids = ARRAY[\(Self.upload)::uuid] AS is_noted FROM withdrawals")
            #expect(try noted.first?.get("is_noted", as: Bool.self) == true)
        }
    }

    @Test("is no answer, and no digest by which it would be found")
    func closed() async throws {
        try await withTables { connection, _ in
            try await connection.execute(script: Self.closing)
            try await expect(Self.other, knowsCapture: true, "done", connection)
            try await connection.execute(script: Self.withdrawal)
            try await expect(Self.other, knowsCapture: false, "ended", connection)
        }
    }

    @Test("is no digest in those of the same body that had ended before")
    func earlier() async throws {
        try await withTables { connection, _ in
            try await connection.execute(
                script: """
                    INSERT INTO uploads (id, type, token_sha256, device_id, interop_version, content_type, body_sha256, length_bytes,
                        expires_at)
                    VALUES (gen_random_uuid(), 'photo', sha256('token'), '\(Self.device)', 8, 'multipart/form-data; boundary=x',
                        sha256('body'), 10, now() + interval '1 hour');
                    UPDATE uploads SET state = 'ended' WHERE token_sha256 = sha256('token');
                    """)
            try await connection.execute(script: "SET ROLE rial_gateway; \(Self.withdrawal); RESET ROLE")
            let rows = try await connection.query(
                """
                SELECT count(*) AS ended, count(*) FILTER (WHERE body_sha256 = sha256('body')) AS known FROM uploads WHERE state = 'ended'
                """)
            #expect(try rows.first?.get("ended", as: Int.self) == 2)
            #expect(try rows.first?.get("known", as: Int.self) == 0)
            // It is not this capture's: its folder is not looked through.
            let noted = try await connection.query("SELECT upload_ids = ARRAY[\(Self.upload)::uuid] AS is_noted FROM withdrawals")
            #expect(try noted.first?.get("is_noted", as: Bool.self) == true)
        }
    }

    @Test("is the same if both happen at once: neither is refused", arguments: [true, false])
    func concurrent(gatewayIsFirst: Bool) async throws {
        try await withTables { connection, second in
            try await connection.execute(script: "BEGIN")
            try await connection.execute(script: gatewayIsFirst ? Self.closing : Self.withdrawal)
            async let waiting: Void = second.execute(script: gatewayIsFirst ? Self.withdrawal : Self.closing)
            try await waitForWaiter(behind: connection)
            try await connection.execute(script: "COMMIT")
            try await waiting
            try await expect(Self.other, knowsCapture: false, "ended", connection)
        }
    }
}
