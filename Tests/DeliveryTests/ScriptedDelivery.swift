import CaptureProtocol
import Delivery
import Foundation
import Logging
import Messaging
import Models
import ServiceLifecycle
import ServiceLifecycleTestKit
import Synchronization
import TestSupport

/// An error that may be transient or permanent.
struct Hiccup: Error {}

/// A handler with behaviour scripted by a test, which records the dead-lettered events.
struct ScriptedHandler: MessageHandler {
    final class Log: Sendable {
        private let reasons = Mutex<[FailureReason]>([])
        private let handled = Mutex<[EventID]>([])
        var givenUp: [FailureReason] { reasons.withLock { $0 } }
        /// The event ids of all calls.
        var calls: [EventID] { handled.withLock { $0 } }
        func note(_ reason: FailureReason) { reasons.withLock { $0.append(reason) } }
        func note(_ event: EventID) { handled.withLock { $0.append(event) } }
    }

    let log = Log()
    let body: @Sendable (CaptureReceived, MessageContext) async throws -> Void

    func handle(_ message: CaptureReceived, _ context: MessageContext) async throws {
        log.note(context.eventID)
        try await body(message, context)
    }

    func giveUp(_ message: CaptureReceived, reason: FailureReason, on transaction: MemoryTransaction) async throws {
        transaction.write { log.note(reason) }
    }
}

/// A consumer service with broker, database and clock controlled by the test.
struct ScriptedDelivery: Sendable {
    let ledger = MemoryRecordLedger()
    let source: MemoryRecordSource
    let handler: ScriptedHandler
    let clock: TestClock
    let logger = Logger.quiet

    init(
        _ records: [KafkaRecord], clock: TestClock = TestClock(),
        handle: @escaping @Sendable (CaptureReceived, MessageContext) async throws -> Void = { _, _ in }
    ) {
        source = MemoryRecordSource(records)
        handler = ScriptedHandler(body: handle)
        self.clock = clock
    }

    /// Runs until the condition holds, then to the end of a graceful shutdown.
    /// - Parameter then: called once shutdown has begun.
    func run(until condition: @escaping @Sendable () -> Bool, then: @escaping @Sendable () -> Void = {}) async throws {
        let service = ConsumerService(
            service: .depthAnalyzer, handler: handler, consumers: 1, ledger: ledger, clock: clock, logger: logger
        ) { [source] in source }
        try await shutDown(service, when: condition, then: then)
    }
}

/// Runs a service until the condition holds, then to the end of its graceful shutdown.
func shutDown(
    _ service: some ServiceLifecycle.Service, when condition: @escaping @Sendable () -> Bool, then: @escaping @Sendable () -> Void = {}
) async throws {
    try await testGracefulShutdown { trigger in
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run() }
            try await waitUntil("time for shutdown") { condition() }
            trigger.triggerGracefulShutdown()
            then()
            try await group.waitForAll()
        }
    }
}

extension KafkaRecord {
    /// A valid record of `capture-received`, except for the given changes.
    static func received(
        _ offset: Int64, event: EventID? = EventID(), partition: Int32 = 0, key: [UInt8]? = nil,
        value: [UInt8]? = try? WireJSON.encode(
            CaptureReceived(captureID: CaptureID(), kind: .photo))
    ) -> KafkaRecord {
        KafkaRecord(
            topic: Topic.captureReceived.rawValue, partition: partition, offset: offset, key: key, value: value,
            headers: event.map { [KafkaHeader(name: "ce_id", value: Array($0.description.utf8))] } ?? [], timestampMilliseconds: nil)
    }
}

/// Blocks a handler until the test opens it.
final class Gate: Sendable {
    private let gate = AsyncStream.makeStream(of: Void.self)
    private let state = Mutex((isReached: false, isOpen: false))
    var isReached: Bool { state.withLock { $0.isReached } }
    var isOpen: Bool { state.withLock { $0.isOpen } }
    func open() {
        state.withLock { $0.isOpen = true }
        gate.continuation.finish()
    }
    func pass() async {
        state.withLock { $0.isReached = true }
        for await _ in gate.stream {}
    }
}
