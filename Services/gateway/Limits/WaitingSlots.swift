import Foundation
import Metrics
import Synchronization

/// A few places for work that takes disk or processes; who comes when all are taken waits a while in line.
final class WaitingSlots: Sendable {
    private struct State {
        var free: [Int]
        var waiting: [(id: UUID, continuation: CheckedContinuation<Int?, Never>)] = []
    }
    private let state: Mutex<State>
    private let line: Int
    private let patience: Duration
    private let gauge: Meter

    /// - Parameters:
    ///   - line: how many may wait; those behind are refused at once.
    ///   - patience: how long one waits before it is refused.
    init(_ count: Int, line: Int, patience: Duration, metric: String) {
        state = Mutex(State(free: Array((0..<max(count, 1)).reversed())))
        self.line = line
        self.patience = patience
        gauge = Meter(label: metric)
    }

    /// A place; given back by ``give()``.
    struct Slot: Sendable {
        let number: Int
        fileprivate let slots: WaitingSlots
        func give() { slots.give(number) }
    }

    /// - Throws: `SERVICE_UNAVAILABLE` if the line is full or the wait too long; `CancellationError` if the task is cancelled.
    func take() async throws -> Slot {
        let id = UUID()
        let limit = Task { [patience] in
            try? await Task.sleep(for: patience)
            self.leave(id)
        }
        defer { limit.cancel() }
        let number = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let immediate: Int?? = state.withLock { state in
                    if Task.isCancelled { return .some(nil) }
                    if let number = state.free.popLast() { return .some(number) }
                    guard state.waiting.count < line else { return .some(nil) }
                    state.waiting.append((id, continuation))
                    return nil
                }
                if let immediate { continuation.resume(returning: immediate) }
            }
        } onCancel: {
            self.leave(id)
        }
        if Task.isCancelled {
            if let number { free(number) }
            throw CancellationError()
        }
        guard let number else { throw APIError.retryLater(.serviceUnavailable, "Too many files at the moment; try again.", seconds: 5) }
        gauge.increment()
        return Slot(number: number, slots: self)
    }

    private func leave(_ id: UUID) {
        let waiter = state.withLock { state in
            state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0).continuation }
        }
        waiter?.resume(returning: nil)
    }

    private func give(_ number: Int) {
        gauge.decrement()
        free(number)
    }

    private func free(_ number: Int) {
        let next: CheckedContinuation<Int?, Never>? = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.free.append(number)
                return nil
            }
            return state.waiting.removeFirst().continuation
        }
        next?.resume(returning: number)
    }
}
