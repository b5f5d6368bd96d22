import Persistence
import Testing

@Suite("Errors of statements")
struct ErrorTests {
    @Test(
        "a standby, a lock, a time limit, a missing right, a full disk: only time or an operator helps",
        arguments: ["25006", "57014", "55P03", "42501", "25P03", "53100", "57P01", "40001", "08006", "XX000", "58030"])
    func transient(state: String) {
        #expect(PostgresError(code: .query, message: "x", sqlState: state).isTransient)
    }

    @Test("faults of the data or the statement are permanent", arguments: ["22021", "22P05", "23505", "23514", "42P01", "42601"])
    func hopeless(state: String) {
        #expect(!PostgresError(code: .query, message: "x", sqlState: state).isTransient)
    }

    @Test("without a server response, the connection or our own use is at fault")
    func withoutState() {
        for code in [PostgresError.Code.connectionFailed, .timeout, .closed, .commitRolledBack] {
            #expect(PostgresError(code: code, message: "x").isTransient)
        }
        for code in [PostgresError.Code.query, .decoding, .migration] { #expect(!PostgresError(code: code, message: "x").isTransient) }
    }
}
