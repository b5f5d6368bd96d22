import Testing

@testable import Blocking

@Suite("The queue of a semaphore")
struct PermitQueueTests {
    @Test("gives permits until none are left, then lets callers wait, then refuses them")
    func bounds() {
        var queue = PermitQueue<String>(permits: 2, queueLimit: 1)
        #expect(queue.acquire(queue.ticket(), "a") == .permit(0))
        #expect(queue.acquire(queue.ticket(), "b") == .permit(1))
        #expect(queue.acquire(queue.ticket(), "c") == .queued)
        #expect(queue.acquire(queue.ticket(), "d") == .refused(.queueFull))
    }

    @Test("a released permit goes to the longest waiting caller, or becomes free")
    func order() {
        var queue = PermitQueue<String>(permits: 1, queueLimit: 9)
        for name in ["a", "b", "c"] { _ = queue.acquire(queue.ticket(), name) }
        #expect([queue.release(0), queue.release(0), queue.release(0)] == ["b", "c", nil])
        #expect(queue.acquire(queue.ticket(), "d") == .permit(0))
    }

    @Test("a caller that leaves the queue gets nothing, and the others keep their order")
    func leaving() {
        var queue = PermitQueue<String>(permits: 1, queueLimit: 9)
        let tickets = ["a", "b", "c"].map { name in
            let ticket = queue.ticket()
            _ = queue.acquire(ticket, name)
            return ticket
        }
        #expect(queue.leave(tickets[1], .timeout) == "b")
        #expect(queue.release(0) == "c")
    }

    @Test("a caller cancelled before it enters the queue is refused with the reason, and leaves no trace")
    func early() {
        var queue = PermitQueue<String>(permits: 1, queueLimit: 9)
        let ticket = queue.ticket()
        #expect(queue.leave(ticket, .cancelled) == nil)
        #expect(queue.acquire(ticket, "a") == .refused(.cancelled))
        queue.forget(ticket)
        // A timeout may fire after the ticket has ended.
        #expect(queue.leave(ticket, .timeout) == nil)
        #expect(queue.remembered == 0)
    }

    @Test("there is at least one permit, even when none is configured", arguments: [0, -1])
    func least(permits: Int) {
        var queue = PermitQueue<String>(permits: permits, queueLimit: 0)
        #expect(queue.acquire(queue.ticket(), "a") == .permit(0))
    }
}

@Suite("Semaphore", .timeLimit(.minutes(1)))
struct FIFOSemaphoreTests {
    @Test("a caller beyond the permits gets the first that is released")
    func waits() async throws {
        let semaphore = FIFOSemaphore(permits: 1, queueLimit: 1)
        let first = try await semaphore.acquire()
        async let second = semaphore.acquire()
        semaphore.release(first)
        #expect(try await second == first)
    }

    @Test("a full queue refuses at once, and a wait ends with its timeout; neither takes the permit")
    func refuses() async throws {
        for (queueLimit, refusal) in [(0, FIFOSemaphore.Refusal.queueFull), (1, .timeout)] {
            let semaphore = FIFOSemaphore(permits: 1, queueLimit: queueLimit)
            let held = try await semaphore.acquire()
            await #expect(throws: refusal) { try await semaphore.acquire(timeout: .milliseconds(20)) }
            semaphore.release(held)
            semaphore.release(try await semaphore.acquire())
        }
    }

    @Test("a cancelled wait keeps no permit")
    func cancelled() async throws {
        let semaphore = FIFOSemaphore(permits: 1, queueLimit: 100)
        for _ in 0..<50 {
            let held = try await semaphore.acquire()
            let waiting = Task { semaphore.release(try await semaphore.acquire()) }
            waiting.cancel()
            semaphore.release(held)
            _ = try? await waiting.value
        }
        // If a permit were lost, this would wait for ever.
        semaphore.release(try await semaphore.acquire())
    }
}
