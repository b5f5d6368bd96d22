import Testing

@testable import Persistence

@Suite("Statements")
struct SQLTests {
    @Test("bind what is interpolated, numbered from 1")
    func binds() {
        let statement: SQL = "SELECT \(1), \("text") FROM \(unescaped: "a_table")"
        #expect(statement.text == "SELECT $1, $2 FROM a_table")
        #expect(statement.parameters.map(\.type) == [20, 25])
    }

    @Test("are joined with their parameters renumbered")
    func joins() {
        let condition: SQL = "b = \(2) OR c = \(3)"
        var statement: SQL = "SELECT \(1) WHERE "
        statement += condition + " LIMIT \(4)"
        #expect(statement.text == "SELECT $1 WHERE b = $2 OR c = $3 LIMIT $4")
        #expect(statement.parameters.map(\.bytes?.last) == [1, 2, 3, 4])
    }

    @Test("take other statements as parts")
    func nests() {
        let condition: SQL = "id = \(7)"
        let statement: SQL = "UPDATE t SET a = \("x") WHERE \(condition) AND b = \(8)"
        #expect(statement.text == "UPDATE t SET a = $1 WHERE id = $2 AND b = $3")
    }

    @Test("never insert a value into the SQL text")
    func neverPastes() {
        let name = "'; DROP TABLE captures; --"
        let statement: SQL = "SELECT \(name)"
        #expect(statement.text == "SELECT $1")
    }

    @Test("send absent values as NULL of their type")
    func bindsNull() {
        let absent: Int32? = nil
        let statement: SQL = "SELECT \(absent)"
        #expect(statement.parameters.map(\.type) == [23])
        #expect(statement.parameters.allSatisfy { $0.bytes == nil })
    }
}

@Suite("Summaries of statements")
struct StatementSummaryTests {
    @Test(
        "tell what is done to which table",
        arguments: [
            ("SELECT id, (SELECT 1) FROM captures WHERE id = $1", "SELECT captures"), ("select 1", "SELECT"),
            ("INSERT INTO gateway_outbox (topic) VALUES ($1)", "INSERT gateway_outbox"), ("INSERT INTO a(b) VALUES ($1)", "INSERT a"),
            ("\n  UPDATE captures\n SET a = $1", "UPDATE captures"), ("DELETE FROM a WHERE b = ANY($1)", "DELETE a"),
            ("SELECT * FROM rial_withdraw($1, $2)", "SELECT rial_withdraw"), ("SELECT 1 FROM (SELECT 2) x", "SELECT"),
            ("WITH a AS (SELECT 1) SELECT * FROM a", "WITH"), ("COMMIT", "COMMIT"), ("", ""), ("UPDATE", "UPDATE"),
            ("SELECT 1 FROM", "SELECT"), ("SELECT extract(epoch FROM now()) AS a FROM b", "SELECT b"), ("SELECT (1 FROM", "SELECT"),
            ("SELECT (SELECT 1 FROM a) FROM b", "SELECT b"),
        ])
    func summaries(text: String, summary: String) {
        #expect(StatementSummary(text).description == summary)
    }
}
