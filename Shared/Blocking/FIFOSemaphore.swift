import Synchronization

/// A FIFO semaphore: `permits` holders, at most `queueLimit` waiters in order of arrival; further callers are rejected at once.
public final class FIFOSemaphore: Sendable {
    /// Why a caller got no permit: it was not let into the queue, or left it by its timeout or as its task was cancelled.
    public enum Refusal: Error, Sendable {
        case queueFull
        case timeout
        case cancelled
    }

    private let state: Mutex<PermitQueue<CheckedContinuation<Result<Int, Refusal>, Never>>>

    /// - Parameters:
    ///   - permits: at least 1.
    ///   - queueLimit: the maximum number of waiters.
    public init(permits: Int, queueLimit: Int) { state = Mutex(PermitQueue(permits: permits, queueLimit: queueLimit)) }

    /// Waits for a permit; the caller returns it with ``release(_:)``.
    /// - Parameter timeout: `nil` for no timeout.
    /// - Returns: the permit's number, from 0 to `permits` - 1.
    /// - Throws: ``Refusal``.
    public func acquire(timeout: Duration? = nil) async throws(Refusal) -> Int {
        let ticket = state.withLock { $0.ticket() }
        let clock = timeout.map { timeout in
            Task {
                guard (try? await Task.sleep(for: timeout)) != nil else { return }
                leave(ticket, .timeout)
            }
        }
        defer { clock?.cancel() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Result<Int, Refusal>? = state.withLock { state in
                    switch state.acquire(ticket, continuation) {
                    case .permit(let number): .success(number)
                    case .refused(let refusal): .failure(refusal)
                    case .queued: nil
                    }
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            leave(ticket, .cancelled)
        }
        state.withLock { $0.forget(ticket) }
        return try result.get()
    }

    /// Passes the permit to the longest waiter, if any.
    public func release(_ permit: Int) {
        state.withLock { $0.release(permit) }?.resume(returning: .success(permit))
    }

    private func leave(_ ticket: UInt64, _ refusal: Refusal) {
        state.withLock { $0.leave(ticket, refusal) }?.resume(returning: .failure(refusal))
    }
}

/// The semaphore's state: free permits, and waiters in order. Without clocks and tasks, so that it can be tested alone.
struct PermitQueue<Waiter> {
    enum Answer: Equatable {
        case permit(Int)
        case queued
        case refused(FIFOSemaphore.Refusal)
    }

    private var free: [Int]
    private var waiting: [(ticket: UInt64, waiter: Waiter)] = []
    private let queueLimit: Int
    private var lastTicket: UInt64 = 0
    /// Tickets in use; with a refusal if the ticket timed out or was cancelled before it was queued.
    private var open: [UInt64: FIFOSemaphore.Refusal?] = [:]

    init(permits: Int, queueLimit: Int) {
        free = Array((0..<max(permits, 1)).reversed())
        self.queueLimit = queueLimit
    }

    mutating func ticket() -> UInt64 {
        lastTicket += 1
        open.updateValue(nil, forKey: lastTicket)
        return lastTicket
    }

    /// - Parameter waiter: kept if the result is `queued`; ``release(_:)`` or ``leave(_:_:)`` returns it.
    mutating func acquire(_ ticket: UInt64, _ waiter: Waiter) -> Answer {
        if let refusal = open[ticket].flatMap(\.self) { return .refused(refusal) }
        if let permit = free.popLast() { return .permit(permit) }
        guard waiting.count < queueLimit else { return .refused(.queueFull) }
        waiting.append((ticket, waiter))
        return .queued
    }

    /// - Returns: the waiter that now has the permit, for the caller to resume; `nil` if there are no waiters.
    mutating func release(_ permit: Int) -> Waiter? {
        guard !waiting.isEmpty else {
            free.append(permit)
            return nil
        }
        return waiting.removeFirst().waiter
    }

    /// - Returns: the waiter, for the caller to resume; `nil` if the ticket is not queued, and it never will be queued.
    mutating func leave(_ ticket: UInt64, _ refusal: FIFOSemaphore.Refusal) -> Waiter? {
        guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else {
            if open.keys.contains(ticket) { open.updateValue(refusal, forKey: ticket) }
            return nil
        }
        return waiting.remove(at: index).waiter
    }

    /// Removes the ticket: a later timeout or cancellation has no effect.
    mutating func forget(_ ticket: UInt64) { open.removeValue(forKey: ticket) }

    /// The number of tickets in use; 0 if none leaked.
    var remembered: Int { open.count }
}
