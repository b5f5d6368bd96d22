import Persistence
import Testing

@Suite("What a failed statement means")
struct ErrorTests {
    @Test(
        "a standby, a lock, a time limit, a missing right, a full disk: only time or an operator helps",
        arguments: ["25006", "57014", "55P03", "42501", "25P03", "53100", "57P01", "40001", "08006", "XX000", "58030"])
    func transient(state: String) {
        #expect(PostgresError(code: .query, message: "x", sqlState: state).isTransient)
    }

    @Test("what lies in the data or in the statement stays as it is", arguments: ["22021", "22P05", "23505", "23514", "42P01", "42601"])
    func hopeless(state: String) {
        #expect(!PostgresError(code: .query, message: "x", sqlState: state).isTransient)
    }

    @Test("without an answer of the server it is the connection, or our own mistake")
    func withoutState() {
        for code in [PostgresError.Code.connectionFailed, .timeout, .closed, .commitRolledBack] {
            #expect(PostgresError(code: code, message: "x").isTransient)
        }
        for code in [PostgresError.Code.query, .decoding, .migration] { #expect(!PostgresError(code: code, message: "x").isTransient) }
    }
}
