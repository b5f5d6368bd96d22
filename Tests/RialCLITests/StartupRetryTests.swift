import Persistence
import TestSupport
import Testing

@testable import RialCLI

@Suite("Waiting for a dependency that is starting", .timeLimit(.minutes(1)))
struct StartupRetryTests {
    private let retry = StartupRetry(dependency: "PostgreSQL")

    @Test("goes on until it can be reached")
    func reached() async throws {
        var attempts = 0
        try await retry {
            attempts += 1
            if attempts < 3 { throw PostgresError(code: .connectionFailed, message: "connection refused") }
        }
        #expect(attempts == 3)
    }

    @Test("calls a server whose statements take too long not unreachable")
    func tooSlow() async throws {
        let tooSlow = PostgresError(code: .query, message: "canceling statement due to statement timeout", sqlState: "57014")
        var attempts = 0
        let brief = StartupRetry(timeout: .milliseconds(50), dependency: "PostgreSQL")
        let failure = await error(CommandFailure.self) {
            try await brief {
                attempts += 1
                throw tooSlow
            }
        }
        #expect(attempts > 1)
        #expect(failure?.description == "PostgreSQL refused: canceling statement due to statement timeout")
    }
}
