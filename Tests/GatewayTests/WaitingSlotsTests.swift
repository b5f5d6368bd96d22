import Testing

@testable import Gateway

@Suite("Places that are waited for", .timeLimit(.minutes(1)))
struct WaitingSlotsTests {
    @Test("who comes when all are taken gets the first that is given back")
    func waits() async throws {
        let slots = WaitingSlots(1, line: 1, patience: .seconds(30), metric: "test_slots")
        let first = try await slots.take()
        async let second = slots.take()
        first.give()
        let number = try await second.number
        #expect(number == first.number)
    }

    @Test("a full line refuses at once, and a wait that is too long is refused with when to come back")
    func refuses() async throws {
        let slots = WaitingSlots(1, line: 0, patience: .seconds(30), metric: "test_slots")
        let held = try await slots.take()
        await expectUnavailable { _ = try await slots.take() }
        held.give()
        let impatient = WaitingSlots(1, line: 5, patience: .milliseconds(20), metric: "test_slots")
        let other = try await impatient.take()
        await expectUnavailable { _ = try await impatient.take() }
        other.give()
        _ = try await impatient.take()
    }

    @Test("a cancelled wait takes nothing with it")
    func cancelled() async throws {
        let slots = WaitingSlots(1, line: 100, patience: .seconds(30), metric: "test_slots")
        for _ in 0..<50 {
            let held = try await slots.take()
            let waiting = Task { try await slots.take().give() }
            waiting.cancel()
            held.give()
            _ = try? await waiting.value
        }
        // Were one lost, this would wait in vain.
        try await slots.take().give()
    }

    private func expectUnavailable(_ body: () async throws -> Void) async {
        await #expect {
            try await body()
        } throws: { error in
            (error as? APIError)?.code == .serviceUnavailable && (error as? APIError)?.headers[.retryAfter] != nil
        }
    }
}
