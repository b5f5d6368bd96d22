public import CaptureProtocol
import Foundation
public import Logging
public import Models
import ObjectStorage
public import Persistence

/// The context of a message.
public struct MessageContext: Sendable {
    /// How many records a consumer handles at the same time at most: one, and those that let others pass.
    public static let maximumInHand = RecordDesk.maximumPassed + 1
    public let eventID: EventID
    public let topic: Topic
    public let logger: Logger
    private let passing: @Sendable () -> Void

    public init(eventID: EventID, topic: Topic, logger: Logger, passing: @escaping @Sendable () -> Void = {}) {
        self.eventID = eventID
        self.topic = topic
        self.logger = logger
        self.passing = passing
    }

    /// Says that the rest takes long: meanwhile the consumer may handle records of other captures, up to ``maximumInHand`` at a time. The
    /// record is still retried, settled or dead-lettered like any other, and no later offset is stored before its own.
    public func letOthersPass() { passing() }
}

/// Handles one type of message. Handlers are idempotent.
///
/// `handle` returns when the effect is durable. It throws ``RejectedMessage`` for permanent failures, which dead-letter the record at once.
/// Other errors are retried: without a limit while a dependency is down, else a few times before the record is dead-lettered.
public protocol MessageHandler: Sendable {
    associatedtype Message: Event
    /// The transaction that stores the dead letter: a connection to PostgreSQL, except in tests.
    associatedtype Transaction: Sendable = PostgresConnection
    func handle(_ message: Message, _ context: MessageContext) async throws

    /// Records and announces the failure when the record is dead-lettered, in the transaction that stores the dead letter.
    func giveUp(_ message: Message, reason: FailureReason, on transaction: Transaction) async throws
}
