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

/// Delivers a record to its handler: decodes it, retries, and dead-letters it after a permanent failure.
struct RecordDelivery<Handler: MessageHandler>: Sendable {
    enum Outcome: String {
        case done
        case deadLetter = "dead_letter"
        case interrupted
    }

    /// Attempts before a record is dead-lettered. Failures of dependencies do not count.
    static var maximumAttempts: Int { 6 }
    /// After this many failures of the store, later records may pass this one: perhaps only this one's object cannot be read.
    static var storageFailuresAlone: Int { 3 }
    let service: ServiceName
    let handler: Handler
    let ledger: any RecordLedger<Handler.Transaction>
    let clock: any Clock<Duration>
    let logger: Logger

    static var deadLetters: Counter {
        Counter(label: "rial_dead_letters_total", dimensions: [("topic", Handler.Message.topic.rawValue)])
    }

    private var topic: Topic { Handler.Message.topic }

    /// Returns when the record's effect or its dead letter is durable, or at shutdown.
    /// - Parameter passing: called when the handler lets later records pass, and when the store keeps failing.
    func deliver(_ record: KafkaRecord, passing: @escaping @Sendable () -> Void = {}) async -> Outcome {
        let decoded: (message: Handler.Message, id: EventID)
        do {
            decoded = try decode(record)
        } catch {
            let reason = (error as? RejectedMessage) ?? RejectedMessage(.undecodable, detail: "\(error)")
            return await deadLetter(record, reason, message: nil, attempts: 1)
        }
        let context = MessageContext(eventID: decoded.id, topic: topic, logger: logger, passing: passing)
        var backoff = Backoff()
        var attempts = 0
        var storageFailures = 0
        var isInHand = false
        while !Task.isEnding {
            attempts += 1
            do {
                if !isInHand {
                    let deaths = try await ledger.take(decoded.id)
                    isInHand = true
                    guard deaths < InHand.maximumDeaths else {
                        throw RejectedMessage(.processDied, detail: "\(deaths) processes ended while they had it in hand")
                    }
                }
                try await handler.handle(decoded.message, context)
                return .done
            } catch let rejection as RejectedMessage {
                return await deadLetter(record, rejection, message: decoded.message, attempts: attempts)
            } catch {
                if Task.isEnding { break }
                if isDependencyFailure(error) {
                    attempts -= 1
                    if error is ObjectStorageError { storageFailures += 1 }
                } else if attempts >= Self.maximumAttempts {
                    let rejection = RejectedMessage(.handlingFailed, detail: "\(error)")
                    return await deadLetter(record, rejection, message: decoded.message, attempts: attempts)
                }
                Counter(label: "rial_record_retries_total", dimensions: [("topic", topic.rawValue)]).increment()
                logger.warning("record not handled yet", error: error)
                // Not in hand during backoff: another member may get the record then, which must not count as a crash.
                if isInHand, await release(decoded.id) { isInHand = false }
                if storageFailures >= Self.storageFailuresAlone { passing() }
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

    /// Marks the record as no longer in hand, so that an orderly shutdown does not count as a crash. The timeout keeps an unresponsive
    /// database from delaying it.
    /// - Returns: false if the database did not confirm it.
    private func release(_ event: EventID) async -> Bool {
        // Also where this task is cancelled, which would end the wait at once.
        await Task { await withTimeout(.seconds(2)) { (try? await ledger.release(event)) != nil } ?? false }.value
    }

    /// Sleeps until the duration has passed or shutdown begins.
    private func pause(_ duration: Duration) async {
        await cancelWhenGracefulShutdown { try? await clock.sleep(for: duration) }
    }

    /// Stores the dead letter and the handler's announcement of it; retries until that succeeds or shutdown begins.
    private func deadLetter(
        _ record: KafkaRecord, _ rejection: RejectedMessage, message: Handler.Message?, attempts: Int
    ) async -> Outcome {
        logger.error("record given up", metadata: ["reason": "\(rejection)", "offset": "\(record.offset)"])
        let letter = DeadLetter(record: record, rejection: rejection, service: service, attempts: attempts)
        var backoff = Backoff()
        while !Task.isEnding {
            do {
                try await ledger.store(letter, of: record.header("ce_id").flatMap(EventID.init)) { transaction in
                    if let message { try await handler.giveUp(message, reason: rejection.reason, on: transaction) }
                }
                Self.deadLetters.increment()
                return .deadLetter
            } catch {
                logger.error("dead letter not stored yet", error: error)
                await pause(backoff.next())
            }
        }
        return .interrupted
    }
}

/// Whether the error means that a dependency is unavailable: PostgreSQL, the broker, the object store, the disk or a
/// ``DependencyUnavailable`` one. Such failures are retried without a limit.
public func isDependencyFailure(_ error: any Error) -> Bool {
    switch error {
    case is DependencyUnavailable: true
    case let error as PostgresError: error.isTransient
    case let error as KafkaError: error.isTransient
    case let error as ObjectStorageError: error.isTransient
    case let error as NamelessFile.Failure: error.isTransient
    default: false
    }
}
