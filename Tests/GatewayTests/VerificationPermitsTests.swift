import CaptureProtocol
import HTTPTypes
import Testing

@testable import Gateway

@Suite("Permits for verifications", .timeLimit(.minutes(1)))
struct VerificationPermitsTests {
    @Test("a full queue is refused at once, a wait that is too long when its time is over, both with when to come back")
    func refuses() async throws {
        for permits in [
            VerificationPermits(1, queueLimit: 0, timeout: .seconds(30), metric: "test_permits"),
            VerificationPermits(1, queueLimit: 5, timeout: .milliseconds(20), metric: "test_permits"),
        ] {
            try await permits.withPermit {
                _ = await #expect {
                    try await permits.withPermit {}
                } throws: { error in
                    let response = APIError(refusal: error)
                    return response?.code == .serviceUnavailable && response?.headers[.retryAfter] != nil
                }
            }
            try await permits.withPermit {}
        }
    }

    @Test("work that fails gives its permit back")
    func failing() async throws {
        struct Failure: Error {}
        let permits = VerificationPermits(1, queueLimit: 0, timeout: .seconds(30), metric: "test_permits")
        await #expect(throws: Failure.self) { try await permits.withPermit { throw Failure() } }
        try await permits.withPermit {}
    }
}
