public import CaptureProtocol
import Foundation
public import Logging
public import Models
import ObjectStorage
public import Persistence

/// What is known of a record besides its message.
public struct MessageContext: Sendable {
    public let eventID: EventID
    public let topic: Topic
    public let logger: Logger

    public init(eventID: EventID, topic: Topic, logger: Logger) {
        self.eventID = eventID
        self.topic = topic
        self.logger = logger
    }
}

/// Handles one kind of message. Handling a message twice changes nothing.
///
/// `handle` returns when the effect is durable. It throws ``RejectedMessage`` for what no retry can mend; anything else is
/// tried again, without end while a dependency is down, else a few times before the record becomes a dead letter.
public protocol MessageHandler: Sendable {
    associatedtype Message: Event
    /// In which dead letters are stored: outside of tests a connection to PostgreSQL.
    associatedtype Transaction: Sendable = PostgresConnection
    func handle(_ message: Message, _ context: MessageContext) async throws

    /// Writes what others must learn when this record is given up, in the transaction that stores the dead letter.
    func giveUp(_ message: Message, reason: FailureReason, on transaction: Transaction) async throws
}
