public import CaptureProtocol
public import Delivery
public import Foundation
public import Messaging
import Models
import Synchronization

/// A transaction in memory: its writes are applied at commit, all or none.
public final class MemoryTransaction: Sendable {
    private let writes = Mutex<[@Sendable () -> Void]>([])

    public init() {}

    /// Buffers the write until the end of the transaction.
    public func write(_ write: @escaping @Sendable () -> Void) { writes.withLock { $0.append(write) } }

    public func commit() { for write in writes.withLock({ $0 }) { write() } }
}

/// A ledger of records in memory.
public final class MemoryRecordLedger: RecordLedger {
    private struct State {
        var tries: [EventID: Int] = [:]
        var letters: [DeadLetter] = []
        var failures: [any Error] = []
    }

    private let state = Mutex(State())

    public init() {}

    public var letters: [DeadLetter] { state.withLock { $0.letters } }
    /// For each record in progress, how often it was taken and not released.
    public var tries: [EventID: Int] { state.withLock { $0.tries } }

    /// Makes the next calls throw these errors, one each; `release` never throws.
    public func fail(with errors: [any Error]) { state.withLock { $0.failures = errors } }

    /// Marks the effect of the event as durable, as an inbox does.
    public func settle(_ event: EventID) { state.withLock { $0.tries[event] = nil } }

    public func take(_ event: EventID) async throws -> Int {
        try state.withLock { state in
            if !state.failures.isEmpty { throw state.failures.removeFirst() }
            state.tries[event, default: 0] += 1
            return state.tries[event, default: 1] - 1
        }
    }

    public func release(_ event: EventID) async throws {
        state.withLock { state in if let tries = state.tries[event] { state.tries[event] = tries - 1 } }
    }

    public func store(
        _ letter: DeadLetter, of event: EventID?, announce: @escaping @Sendable (MemoryTransaction) async throws -> Void
    ) async throws {
        try state.withLock { state in if !state.failures.isEmpty { throw state.failures.removeFirst() } }
        let transaction = MemoryTransaction()
        try await announce(transaction)
        state.withLock { state in
            state.letters.append(letter)
            if let event { state.tries[event] = nil }
        }
        transaction.commit()
    }
}

/// A member of a consumer group whose records are supplied by the test.
public final class MemoryRecordSource: RecordSource {
    private struct State {
        var stored: [Int64] = []
        var storeFailures: [any Error] = []
        var isStopped = false
        var isClosed = false
    }

    private let state = Mutex(State())
    private let records: AsyncStream<KafkaRecord>
    private let feed: AsyncStream<KafkaRecord>.Continuation

    public init(_ records: [KafkaRecord] = []) {
        (self.records, feed) = AsyncStream.makeStream(of: KafkaRecord.self)
        for record in records { feed.yield(record) }
    }

    /// The stored offsets, in the order in which they were stored.
    public var stored: [Int64] { state.withLock { $0.stored } }
    public var isClosed: Bool { state.withLock { $0.isClosed } }

    public func add(_ record: KafkaRecord) { feed.yield(record) }

    /// Makes the next attempts to store an offset fail with these errors.
    public func failStoring(with errors: [any Error]) { state.withLock { $0.storeFailures = errors } }

    public func next() async throws -> KafkaRecord? {
        guard !state.withLock({ $0.isStopped }) else { return nil }
        var iterator = records.makeAsyncIterator()
        let record = await iterator.next()
        return state.withLock { $0.isStopped } ? nil : record
    }

    public func store(_ record: KafkaRecord) async throws {
        try state.withLock { state in
            if !state.storeFailures.isEmpty { throw state.storeFailures.removeFirst() }
            state.stored.append(record.offset)
        }
    }

    public func stop() {
        state.withLock { $0.isStopped = true }
        feed.finish()
    }

    public func close() async { state.withLock { $0.isClosed = true } }
}

/// An outbox in memory. A batch that is being read is locked for other readers, like rows in PostgreSQL.
public final class MemoryOutboxRows: OutboxRows {
    private struct State {
        var rows: [OutboxRow] = []
        var held: Set<Int64> = []
        var lastID: Int64 = 0
        var failures: [any Error] = []
    }

    private let state = Mutex(State())
    private let wakes: AsyncStream<String>
    private let wake: AsyncStream<String>.Continuation

    public init() { (wakes, wake) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(1)) }

    public var rows: [OutboxRow] { state.withLock { $0.rows } }

    /// Makes the next reads of a batch fail.
    public func fail(with errors: [any Error]) { state.withLock { $0.failures = errors } }

    /// - Parameter isNotified: false simulates a missed notification.
    public func append(topic: String, key: String, value: [UInt8]?, headers: [KafkaHeader] = [], isNotified: Bool = true) {
        state.withLock { state in
            state.lastID += 1
            state.rows.append(OutboxRow(id: state.lastID, topic: topic, key: key, value: value, headers: headers))
        }
        if isNotified { wake.yield("outbox") }
    }

    /// As another instance does that has published them.
    public func removeAll() { state.withLock { $0.rows = [] } }

    public func withBatch<Result: Sendable>(
        limit: Int, of topics: OutboxTopics, _ publish: @escaping @Sendable ([OutboxRow]) async throws -> (done: [Int64], result: Result)
    ) async throws -> Result {
        let batch = try state.withLock { state in
            if !state.failures.isEmpty { throw state.failures.removeFirst() }
            let batch = Array(state.rows.filter { !state.held.contains($0.id) && topics.contain($0.topic) }.prefix(limit))
            state.held.formUnion(batch.map(\.id))
            return batch
        }
        defer { state.withLock { $0.held.subtract(batch.map(\.id)) } }
        let (done, result) = try await publish(batch)
        state.withLock { state in state.rows.removeAll { done.contains($0.id) } }
        return result
    }

    public func hasAny(of topic: String) async throws -> Bool { rows.contains { $0.topic == topic } }

    public func notifications() -> AsyncStream<String> { wakes }
}

extension OutboxTopics {
    fileprivate func contain(_ topic: String) -> Bool {
        switch self {
        case .all(but: let others): !others.contains(topic)
        case .only(let wanted): topic == wanted
        }
    }
}

/// A message broker in memory.
public final class MemoryRecordPublisher: RecordPublisher {
    public struct Sent: Sendable, Equatable {
        public let topic: String
        public let key: [UInt8]?
        public let value: [UInt8]?
        public let headers: [KafkaHeader]

        public init(topic: String, key: [UInt8]?, value: [UInt8]?, headers: [KafkaHeader]) {
            self.topic = topic
            self.key = key
            self.value = value
            self.headers = headers
        }
    }

    private struct State {
        var sent: [Sent] = []
        var refusal: @Sendable (Sent) -> (any Error)? = { _ in nil }
    }

    private let state = Mutex(State())

    public init() {}

    public var sent: [Sent] { state.withLock { $0.sent } }

    /// From now on rejects the records for which the closure returns an error.
    public func refuse(_ refusal: @escaping @Sendable (Sent) -> (any Error)?) { state.withLock { $0.refusal = refusal } }

    public func send(topic: String, key: [UInt8]?, value: [UInt8]?, headers: [KafkaHeader]) async throws {
        let record = Sent(topic: topic, key: key, value: value, headers: headers)
        if let error = state.withLock({ $0.refusal })(record) { throw error }
        state.withLock { $0.sent.append(record) }
    }
}

/// A ledger of periodic tasks in memory.
public final class MemoryTaskLedger: TaskLedger {
    private let tries = Mutex<[UUID: (count: Int, isRecent: Bool)]>([:])

    public init() {}

    /// As if what is in hand had been taken long ago.
    public func age() { tries.withLock { tries in tries = tries.mapValues { ($0.count, false) } } }

    public func take(_ work: UUID) async throws -> TakenTask {
        tries.withLock { tries in
            let (count, isRecent) = tries[work] ?? (0, false)
            guard count == 0 || !isRecent else { return .elsewhere }
            tries[work] = (count + 1, true)
            return count + 1 > 3 ? .fatal : .taken
        }
    }

    public func settle(_ work: UUID) async throws { tries.withLock { $0[work] = nil } }

    public func release(_ work: UUID) async throws {
        tries.withLock { tries in if let (count, isRecent) = tries[work] { tries[work] = (count - 1, isRecent) } }
    }
}
