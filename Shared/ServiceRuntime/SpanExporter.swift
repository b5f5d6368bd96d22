import Blocking
import Foundation
import Logging
import Metrics
import Observability
import ServiceLifecycle
import Synchronization

/// Sends this process's spans to a collector, in batches. Nothing waits for it: what the collector does not take in time is dropped and
/// counted.
final class SpanExporter: Service {
    enum Outcome: Sendable {
        case taken
        /// It may take them later.
        case away(String)
        /// It never will.
        case refused(String)
    }

    static let batchSize = 512
    /// For one batch.
    static let attempts = 5
    /// How long the last spans may take at shutdown.
    static let timeout = Duration.seconds(2)

    private let queue: SpanQueue
    private let origin: SpanOrigin
    private let clock: any Clock<Duration>
    private let logger: Logger
    private let send: @Sendable ([UInt8]) async -> Outcome
    private let isTroubled = Mutex(false)

    /// - Parameters:
    ///   - clock: for the wait of a second between two looks at the queue, and for the backoff.
    ///   - send: one OTLP request.
    init(
        _ queue: SpanQueue, from origin: SpanOrigin, clock: any Clock<Duration> = ContinuousClock(), logger: Logger,
        send: @escaping @Sendable ([UInt8]) async -> Outcome
    ) {
        self.queue = queue
        self.origin = origin
        self.clock = clock
        self.logger = logger
        self.send = send
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await self.export(attempts: Self.attempts)
                try? await self.clock.sleep(for: .seconds(1))
            }
        }
        // All others have stopped: these are their last spans.
        _ = await withTimeout(Self.timeout) { await self.export(attempts: 1) }
    }

    private func export(attempts: Int) async {
        while queue.count > 0, !Task.isCancelled { await export(queue.first(Self.batchSize), attempts: attempts) }
    }

    /// The batch leaves the queue once it is taken or lost; not if shutdown comes first.
    private func export(_ batch: [Span], attempts: Int) async {
        guard let document = try? SpanDocument(batch, from: origin).encoded() else {
            return lose(batch, .collectorRefused, "not encodable")
        }
        var backoff = Backoff()
        for attempt in 1...attempts {
            switch await send(document) {
            case .taken:
                queue.remove(batch.count)
                Counter(label: "rial_spans_exported_total").increment(by: batch.count)
                if isTroubled.withLock({ $0.exchange(false) }) { logger.notice("spans are exported again") }
                return
            case .refused(let reason): return lose(batch, .collectorRefused, reason)
            case .away(let reason):
                if Task.isCancelled { return }
                if attempt == attempts { return lose(batch, .collectorAway, reason) }
                try? await clock.sleep(for: backoff.next())
            }
        }
    }

    /// Logged once until spans are taken again.
    private func lose(_ batch: [Span], _ loss: SpanQueue.Loss, _ reason: String) {
        queue.drop(batch.count, loss)
        guard !isTroubled.withLock({ $0.exchange(true) }) else { return }
        logger.warning("spans are dropped", metadata: ["reason": "\(loss.rawValue)", "problem": "\(reason)"])
    }
}

extension Bool {
    /// Sets it and returns what it was.
    fileprivate mutating func exchange(_ value: Bool) -> Bool {
        defer { self = value }
        return self
    }
}
