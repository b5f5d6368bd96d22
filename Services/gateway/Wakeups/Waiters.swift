import Delivery
import Foundation
import Logging
import Messaging
import Metrics
import Models
import ServiceLifecycle
import Synchronization

/// Wakes those who wait for a registration or a capture. A wake-up is a hint: whoever is woken reads PostgreSQL, and looks again
/// every second in any case.
final class Waiters: Sendable {
    private struct State {
        var next: UInt64 = 0
        var waiting: [String: [UInt64: CheckedContinuation<Void, Never>]] = [:]
        var count = 0
    }
    private let state = Mutex(State())
    private let timeout: Duration

    /// - Parameter timeout: after this a waiter goes on unwoken.
    init(timeout: Duration = .seconds(1)) { self.timeout = timeout }

    /// Returns when `key` is woken, when the timeout ends, or when the task is cancelled.
    func wait(for key: String) async {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        var limit: Task<Void, Never>?
        defer { limit?.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { state in
                    state.waiting[key, default: [:]][id] = continuation
                    state.count += 1
                }
                // Only now: a wake-up before there is somebody to be woken is lost.
                limit = Task {
                    try? await Task.sleep(for: timeout)
                    wake(key, only: id)
                }
                if Task.isCancelled { wake(key, only: id) }
            }
        } onCancel: {
            wake(key, only: id)
        }
    }

    /// - Parameter id: one waiter; `nil` for all.
    func wake(_ key: String, only id: UInt64? = nil) {
        let woken: [CheckedContinuation<Void, Never>] = state.withLock { state in
            let taken: [CheckedContinuation<Void, Never>]
            if let id {
                taken = [state.waiting[key]?.removeValue(forKey: id)].compactMap { $0 }
                if state.waiting[key]?.isEmpty == true { state.waiting[key] = nil }
            } else {
                taken = state.waiting.removeValue(forKey: key).map { Array($0.values) } ?? []
            }
            state.count -= taken.count
            return taken
        }
        for continuation in woken { continuation.resume() }
        Meter(label: "rial_waiters").set(state.withLock { $0.count })
    }
}

/// Reads a topic in a group of this instance's own, only for the keys of its records. A missed record is no loss.
struct WakeService: Service {
    let topics: [Topic]
    let waiters: Waiters
    let kafka: KafkaConfiguration
    let creator: TopicCreator
    let logger: Logger

    func run() async throws {
        let consumer = try KafkaConsumer(
            kafka, topics: topics.map(\.rawValue), group: "gateway-\(UUID().uuidString.lowercased())", logger: logger,
            onUnknownTopic: { [creator] _ in Task { await creator.ensure() } })
        try await withGracefulShutdownHandler {
            while let record = try await consumer.next() {
                if let key = record.key { waiters.wake(String(decoding: key, as: UTF8.self)) }
                try? await consumer.store(record)
            }
        } onGracefulShutdown: {
            consumer.stop()
        }
        await consumer.close()
    }
}
