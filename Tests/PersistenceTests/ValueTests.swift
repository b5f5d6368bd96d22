import Foundation
import Persistence
import Testing

@Suite("Values", .enabled(if: TestDatabase.isConfigured, TestDatabase.hint))
struct ValueTests {
    /// Sends each value and reads it back.
    private func roundTrip<T: PostgresBindable & PostgresDecodable & Equatable>(
        _ values: [T], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await TestDatabase.with { database in
            let connection = try await database.connect()
            for value in values {
                let row = try #require(try await connection.query("SELECT \(value) AS v, \(T?.none) AS absent").first)
                #expect(try row.get("v") == value, sourceLocation: sourceLocation)
                #expect(try row.getOptional("absent", as: T.self) == nil, sourceLocation: sourceLocation)
            }
            await connection.close()
        }
    }

    @Test("of every scalar type come back as they were sent")
    func scalars() async throws {
        try await roundTrip(["", "plain", "it's \"quoted\" \\ $1 €🙂", String(repeating: "ä", count: 100_000)])
        try await roundTrip([0, 1, -1, Int.max, Int.min])
        try await roundTrip([Int64.max, .min, 0])
        try await roundTrip([Int32.max, .min, 0])
        try await roundTrip([UInt32.max, 0])
        try await roundTrip([0, -0.0, 1.1, 1e-300, .greatestFiniteMagnitude, .infinity, -.infinity])
        try await roundTrip([true, false])
        try await roundTrip([UUID(), UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))])
        try await roundTrip([[UInt8](), Array(0...255), [0], [UInt8](repeating: 0, count: 1_000_000)])
        try await roundTrip([Data(), Data(0...255)])
    }

    @Test("of every array type come back as they were sent")
    func arrays() async throws {
        try await roundTrip([[String](), ["a"], ["", "NULL", "null", "a,b", "{x}", "q\"\\ '", " s ", "ü\n\t"]])
        try await roundTrip([[UUID](), [UUID(), UUID()]])
        try await roundTrip([[Int64](), [0, .min, .max]])
        try await roundTrip([[[UInt8]](), [[]], [[1, 2], [], Array(0...255)]])
    }

    @Test("of time come back to the microsecond, whatever the session's time zone was")
    func dates() async throws {
        let seconds: [Double] = [
            0, 1, -1, 0.000_001, 0.5, 804_409_200.123_456, 1_795_244_400.999_999, -30_000_000_000, 60_000_000_000,
        ]
        try await TestDatabase.with { database in
            let connection = try await database.connect()
            for second in seconds {
                let date = Date(timeIntervalSinceReferenceDate: second)
                let row = try #require(
                    try await connection.query(
                        """
                        SELECT \(date) AS v, extract(epoch FROM \(date))::float8 AS epoch
                        """
                    ).first)
                #expect(abs(try row.get("v", as: Date.self).timeIntervalSince(date)) < 0.000_001)
                #expect(abs(try row.get("epoch", as: Double.self) - date.timeIntervalSince1970) < 0.000_01)
            }
            let row = try #require(
                try await connection.query(
                    """
                    SELECT '2026-02-28 23:59:59.5-05'::timestamptz AS offset_time, '2024-02-29'::date AS leap,
                        'infinity'::timestamptz AS never
                    """
                ).first)
            #expect(try row.get("offset_time", as: Date.self).timeIntervalSince1970 == 1_772_341_199.5)
            #expect(try row.get("leap", as: Date.self).timeIntervalSince1970 == 1_709_164_800)
            #expect(throws: PostgresError.self) { try row.get("never", as: Date.self) }
            await connection.close()
        }
    }

    @Test("of time outside PostgreSQL's range are refused", arguments: [Double.nan, .infinity, 1e18])
    func refusesDates(seconds: Double) async throws {
        try await TestDatabase.with { database in
            let connection = try await database.connect()
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            let error = await postgresError { try await connection.query("SELECT \(date)") }
            #expect(error?.sqlState == "22008")
            await connection.close()
        }
    }

    @Test("with NUL in text are refused, not cut short")
    func refusesNUL() async throws {
        try await TestDatabase.with { database in
            let connection = try await database.connect()
            let error = await postgresError { try await connection.query("SELECT \("before\0after")") }
            #expect(error?.sqlState == "22021")
            #expect(error?.isTransient == false)
            let statement = SQL(unescaped: "SELECT 1\0")
            #expect(await postgresError { try await connection.query(statement) }?.code == .query)
            await connection.close()
        }
    }

    @Test("in JSON keep their keys and times")
    func json() async throws {
        struct Event: Codable, Equatable {
            let capture_id: String
            let at: Date
            let count: Int?
        }
        let event = Event(capture_id: "a\"b", at: Date(timeIntervalSince1970: 1_795_244_400.125), count: nil)
        try await TestDatabase.with { database in
            let connection = try await database.connect()
            try await connection.execute(script: "CREATE TABLE events (body jsonb)")
            try await connection.query("INSERT INTO events VALUES (\(PostgresJSON(encoding: event)))")
            let row = try #require(try await connection.query("SELECT body, body->>'at' AS at FROM events").first)
            #expect(try row.get("body", as: PostgresJSON.self).decode(Event.self) == event)
            #expect(try row.get("at", as: String.self) == "2026-11-21T07:00:00.125Z")
            let error = await postgresError { _ = try row.get("body", as: PostgresJSON.self).decode([Int].self) }
            #expect(error?.code == .decoding)
            await connection.close()
        }
    }

    @Test("of a fixed list are never guessed: an unknown one is an error that names it and its column")
    func words() async throws {
        enum State: String { case open, done }
        enum Version: Int { case three = 3 }
        try await TestDatabase.with { database in
            let connection = try await database.connect()
            let row = try #require(
                try await connection.query("SELECT 'done' AS state, 3 AS version, 'lost' AS next, 4 AS later, NULL::text AS absent").first)
            #expect(try row.word("state", as: State.self) == .done && row.word("version", as: Version.self) == .three)
            let error = await postgresError { _ = try row.word("next", as: State.self) }
            #expect(error?.code == .decoding && error?.message == "column next has the unknown word lost")
            #expect(throws: PostgresError.self) { try row.word("later", as: Version.self) }
            #expect(throws: PostgresError.self) { try row.word("absent", as: State.self) }
            #expect(try row.wordIfPresent("state", as: State.self) == .done && row.wordIfPresent("absent", as: State.self) == nil)
            let unknown = await postgresError { _ = try row.wordIfPresent("next", as: State.self) }
            #expect(unknown?.code == .decoding && unknown?.message == "column next has the unknown word lost")
            await connection.close()
        }
    }

    @Test("of an unexpected type are errors, not traps")
    func decodingErrors() async throws {
        try await TestDatabase.with { database in
            let connection = try await database.connect()
            let row = try #require(
                try await connection.query(
                    """
                    SELECT 'x' AS word, 5000000000 AS large, NULL::text AS absent, ARRAY[1, NULL]::bigint[] AS gap,
                        ARRAY[[1], [2]]::bigint[] AS nested, '\\x0g' AS not_hex, -1 AS negative
                    """
                ).first)
            #expect(throws: PostgresError.self) { try row.get("word", as: Int.self) }
            #expect(throws: PostgresError.self) { try row.get("word", as: Date.self) }
            #expect(throws: PostgresError.self) { try row.get("word", as: UUID.self) }
            #expect(throws: PostgresError.self) { try row.get("word", as: Bool.self) }
            #expect(throws: PostgresError.self) { try row.get("word", as: [String].self) }
            #expect(throws: PostgresError.self) { try row.get("large", as: Int32.self) }
            #expect(throws: PostgresError.self) { try row.get("negative", as: UInt32.self) }
            #expect(throws: PostgresError.self) { try row.get("absent", as: String.self) }
            #expect(throws: PostgresError.self) { try row.get("gap", as: [Int64].self) }
            #expect(throws: PostgresError.self) { try row.get("nested", as: [Int64].self) }
            #expect(throws: PostgresError.self) { try row.get("not_hex", as: [UInt8].self) }
            #expect(throws: PostgresError.self) { try row.get("no_such_column", as: String.self) }
            await connection.close()
        }
    }
}
