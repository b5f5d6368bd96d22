import Blocking
import CaptureProtocol
import Foundation
import Logging
import Messaging
import Metrics
import Models
import ObjectStorage
import Observability
import Persistence
import ServiceLifecycle

/// Brings one record to its handler: decodes it, retries, and gives up what can never succeed.
struct RecordDelivery<Handler: MessageHandler>: Sendable {
    enum Outcome: String { case done, deadLetter = "dead_letter", interrupted }

    /// Tries of a record whose failure is no dependency's, before it becomes a dead letter.
    static var maximumAttempts: Int { 6 }
    /// A record that was in hand when its process died this often is given up (SPEC §1).
    static var maximumDeaths: Int { 3 }
    let service: ServiceName
    let handler: Handler
    let ledger: any RecordLedger<Handler.Transaction>
    let clock: any Clock<Duration>
    let logger: Logger

    private var topic: Topic { Handler.Message.topic }
    private var isStopping: Bool { Task.isCancelled || Task.isShuttingDownGracefully }

    /// Returns when the record's effect, or its dead letter, is durable; or when shutdown came before that.
    func deliver(_ record: KafkaRecord) async -> Outcome {
        let decoded: (message: Handler.Message, id: EventID)
        do {
            decoded = try decode(record)
        } catch {
            let reason = (error as? RejectedMessage) ?? RejectedMessage(.undecodable, detail: "\(error)")
            return await deadLetter(record, reason, message: nil, attempts: 1)
        }
        let context = MessageContext(eventID: decoded.id, topic: topic, logger: logger)
        var backoff = Backoff()
        var attempts = 0
        var isInHand = false
        while !isStopping {
            attempts += 1
            do {
                if !isInHand {
                    let deaths = try await ledger.take(decoded.id)
                    isInHand = true
                    guard deaths < Self.maximumDeaths else {
                        throw RejectedMessage(.processDied, detail: "\(deaths) processes ended while they had it in hand")
                    }
                }
                try await handler.handle(decoded.message, context)
                return .done
            } catch let rejection as RejectedMessage {
                return await deadLetter(record, rejection, message: decoded.message, attempts: attempts)
            } catch {
                if isStopping { break }
                if isDependencyFailure(error) {
                    attempts -= 1
                } else if attempts >= Self.maximumAttempts {
                    let rejection = RejectedMessage(.handlingFailed, detail: "\(error)")
                    return await deadLetter(record, rejection, message: decoded.message, attempts: attempts)
                }
                Counter(label: "rial_record_retries_total", dimensions: [("topic", topic.rawValue)]).increment()
                logger.warning("record not handled yet", error: error)
                // Another member may be given the record while this one waits: that is no death.
                if isInHand, await release(decoded.id) { isInHand = false }
                await pause(backoff.next())
            }
        }
        if isInHand { _ = await release(decoded.id) }
        return .interrupted
    }

    private func decode(_ record: KafkaRecord) throws -> (Handler.Message, EventID) {
        guard let value = record.value else { throw RejectedMessage(.tombstone) }
        guard let id = record.header("ce_id").flatMap(EventID.init) else { throw RejectedMessage(.noEventID) }
        do {
            return (try WireJSON.decode(Handler.Message.self, from: value), id)
        } catch {
            throw RejectedMessage(.undecodable, detail: "\(error)")
        }
    }

    /// So that an orderly end is not taken for a death; a database that does not answer now must not hold it up.
    /// - Returns: false if the database does not say that it was noted.
    private func release(_ event: EventID) async -> Bool {
        await answer(within: .seconds(2)) { (try? await ledger.release(event)) != nil } ?? false
    }

    /// Waits, but not for longer than until shutdown.
    private func pause(_ duration: Duration) async {
        await cancelWhenGracefulShutdown { try? await clock.sleep(for: duration) }
    }

    /// Stores the dead letter with what the handler announces of it; tries until that has succeeded.
    private func deadLetter(
        _ record: KafkaRecord, _ rejection: RejectedMessage, message: Handler.Message?, attempts: Int
    ) async -> Outcome {
        logger.error("record given up", metadata: ["reason": "\(rejection)", "offset": "\(record.offset)"])
        let letter = DeadLetter(record: record, rejection: rejection, service: service, attempts: attempts)
        var backoff = Backoff()
        while !isStopping {
            do {
                try await ledger.store(letter, of: record.header("ce_id").flatMap(EventID.init)) { transaction in
                    if let message { try await handler.giveUp(message, reason: rejection.reason, on: transaction) }
                }
                Counter(label: "rial_dead_letters_total", dimensions: [("topic", topic.rawValue)]).increment()
                return .deadLetter
            } catch {
                logger.error("dead letter not stored yet", error: error)
                await pause(backoff.next())
            }
        }
        return .interrupted
    }
}

/// Whether the failure is that of PostgreSQL, the broker or the object store being away: then only time helps.
public func isDependencyFailure(_ error: any Error) -> Bool {
    switch error {
    case is DependencyUnavailable: true
    case let error as PostgresError: error.isTransient
    case let error as KafkaError: error.isTransient
    case let error as ObjectStorageError: error.isTransient
    default: false
    }
}
