import Foundation

/// Those who wait until something happens.
struct Signals {
    private var waiting: [UUID: AsyncStream<Void>.Continuation] = [:]

    /// Begins a wait. Ask for it before you look at what may change, so that no change is missed, and ``end(_:)`` it afterwards.
    mutating func begin() -> Signal {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let signal = Signal(id: UUID(), stream: stream)
        waiting[signal.id] = continuation
        return signal
    }

    mutating func end(_ signal: Signal) { waiting[signal.id] = nil }

    func send() { for continuation in waiting.values { continuation.yield() } }
}

/// A signal for one wait: a wait that ends without it ends its stream for good, and the next one on that would end at once.
struct Signal: Sendable {
    fileprivate let id: UUID
    fileprivate let stream: AsyncStream<Void>

    /// Returns at the signal, or after so long.
    /// - Throws: `CancellationError`.
    func wait(atMost limit: Duration, on clock: any WallClock) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await clock.sleep(for: limit) }
            group.addTask { for await _ in stream { return } }
            _ = try await group.next()
        }
    }
}
