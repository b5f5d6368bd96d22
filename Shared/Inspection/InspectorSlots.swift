import Synchronization

/// So many may be inside, so many may wait for it, in the order of their coming; all others are told at once.
final class InspectorSlots: Sendable {
    private struct State {
        var free: [Int]
        var waiting: [(ticket: UInt64, continuation: CheckedContinuation<Result<Int, InspectionError>, Never>)] = []
        var nextTicket: UInt64 = 0
        /// Cancelled before they waited.
        var left: Set<UInt64> = []
    }
    private let state: Mutex<State>
    private let waiting: Int

    init(_ count: Int, waiting: Int) {
        state = Mutex(State(free: Array((0..<count).reversed())))
        self.waiting = waiting
    }

    /// - Returns: the number of a free slot, to be given back by ``give(_:)``.
    /// - Throws: ``InspectionError/busy``, or ``InspectionError/cancelled`` while waiting.
    func take() async throws(InspectionError) -> Int {
        let ticket = state.withLock { state in
            state.nextTicket += 1
            return state.nextTicket
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let immediate: Result<Int, InspectionError>? = state.withLock { state in
                    if state.left.remove(ticket) != nil { return .failure(.cancelled) }
                    if let slot = state.free.popLast() { return .success(slot) }
                    guard state.waiting.count < waiting else { return .failure(.busy) }
                    state.waiting.append((ticket, continuation))
                    return nil
                }
                if let immediate { continuation.resume(returning: immediate) }
            }
        } onCancel: {
            leave(ticket)
        }
        // A cancellation that came too late to be noticed here finds its ticket used up.
        state.withLock { _ = $0.left.remove(ticket) }
        return try result.get()
    }

    /// Passes the slot on to who waits longest.
    func give(_ slot: Int) {
        let next = state.withLock { state in
            if state.waiting.isEmpty {
                state.free.append(slot)
                return nil as CheckedContinuation<Result<Int, InspectionError>, Never>?
            }
            return state.waiting.removeFirst().continuation
        }
        next?.resume(returning: .success(slot))
    }

    private func leave(_ ticket: UInt64) {
        let waiter = state.withLock { state in
            guard let index = state.waiting.firstIndex(where: { $0.ticket == ticket }) else {
                state.left.insert(ticket)
                return nil as CheckedContinuation<Result<Int, InspectionError>, Never>?
            }
            return state.waiting.remove(at: index).continuation
        }
        waiter?.resume(returning: .failure(.cancelled))
    }
}
