import Synchronization

/// Bounds concurrent work: `permits` holders, at most `queueLimit` waiters, first come first served; the rest are refused at once.
public final class FIFOSemaphore: Sendable {
    public enum Refusal: Error, Sendable {
        case queueFull
        case timeout
        case cancelled
    }

    private let state: Mutex<PermitQueue<CheckedContinuation<Result<Int, Refusal>, Never>>>

    /// - Parameters:
    ///   - permits: at least 1.
    ///   - queueLimit: how many may wait.
    public init(permits: Int, queueLimit: Int) { state = Mutex(PermitQueue(permits: permits, queueLimit: queueLimit)) }

    /// Waits for a permit, which its holder gives back by ``release(_:)``.
    /// - Parameter timeout: `nil` waits for as long as it takes.
    /// - Returns: the permit's number, 0 to one less than there are.
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

    /// Passes the permit on to who waits longest.
    public func release(_ permit: Int) {
        state.withLock { $0.release(permit) }?.resume(returning: .success(permit))
    }

    private func leave(_ ticket: UInt64, _ refusal: Refusal) {
        state.withLock { $0.leave(ticket, refusal) }?.resume(returning: .failure(refusal))
    }
}

/// Who holds permits and who waits for one: no clock, no task.
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
    /// Tickets that are in use, with why they left if they did so before they waited.
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

    /// - Parameter waiter: kept if the answer is `queued`, and given back by ``release(_:)`` or ``leave(_:_:)``.
    mutating func acquire(_ ticket: UInt64, _ waiter: Waiter) -> Answer {
        if let refusal = open[ticket].flatMap(\.self) { return .refused(refusal) }
        if let permit = free.popLast() { return .permit(permit) }
        guard waiting.count < queueLimit else { return .refused(.queueFull) }
        waiting.append((ticket, waiter))
        return .queued
    }

    /// - Returns: who has the permit now; `nil` if nobody waits.
    mutating func release(_ permit: Int) -> Waiter? {
        guard !waiting.isEmpty else {
            free.append(permit)
            return nil
        }
        return waiting.removeFirst().waiter
    }

    /// - Returns: who waited; `nil` if it does not, which it then never will.
    mutating func leave(_ ticket: UInt64, _ refusal: FIFOSemaphore.Refusal) -> Waiter? {
        guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else {
            if open.keys.contains(ticket) { open.updateValue(refusal, forKey: ticket) }
            return nil
        }
        return waiting.remove(at: index).waiter
    }

    /// The ticket is used up: what comes too late leaves no trace.
    mutating func forget(_ ticket: UInt64) { open.removeValue(forKey: ticket) }

    /// Tickets of which something is remembered.
    var remembered: Int { open.count }
}
