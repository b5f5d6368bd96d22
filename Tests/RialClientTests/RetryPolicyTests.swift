import Testing

@testable import RialClient

@Suite("Retries")
struct RetryPolicyTests {
    private let policy = RetryPolicy(attempts: 4, initialDelay: .milliseconds(100), maximumDelay: .seconds(2))

    @Test("follow transient failures only")
    func onlyTransient() {
        #expect(policy.delay(after: APIFailure(.unreachable, ""), attempt: 1) != nil)
        for status in [429, 502, 503, 504] {
            #expect(policy.delay(after: APIFailure(.refused, "", status: status), attempt: 1) != nil)
        }
        for status in [400, 401, 403, 404, 409, 413, 422, 500] {
            #expect(policy.delay(after: APIFailure(.refused, "", status: status), attempt: 1) == nil)
        }
        #expect(policy.delay(after: APIFailure(.unreadableFile, ""), attempt: 1) == nil)
    }

    @Test("wait longer each time, up to the limit, and end", arguments: 1...3)
    func backsOff(attempt: Int) throws {
        let delay = try #require(policy.delay(after: APIFailure(.unreachable, ""), attempt: attempt))
        let span = Duration.milliseconds(100 << (attempt - 1))
        #expect(delay >= span / 2 && delay <= span)
        #expect(policy.delay(after: APIFailure(.unreachable, ""), attempt: 4) == nil)
    }

    @Test("keep to Retry-After, unless it asks for too long")
    func retryAfter() {
        let soon = APIFailure(.refused, "", status: 503, retryAfter: .seconds(2))
        #expect(policy.delay(after: soon, attempt: 1) == .seconds(2))
        #expect(policy.delay(after: APIFailure(.refused, "", status: 429, retryAfter: .seconds(3)), attempt: 1) == nil)
    }

    @Test("stop at success and pass the last failure on")
    func runs() async throws {
        let quick = RetryPolicy(attempts: 3, initialDelay: .milliseconds(1), maximumDelay: .milliseconds(1))
        var tries = 0
        let value = try await quick.run {
            tries += 1
            if tries < 3 { throw APIFailure(.unreachable, "") }
            return tries
        }
        #expect(value == 3)
        await #expect(throws: APIFailure.self) {
            try await quick.run {
                tries += 1
                throw APIFailure(.unreachable, "")
            }
        }
        #expect(tries == 6)
    }
}
