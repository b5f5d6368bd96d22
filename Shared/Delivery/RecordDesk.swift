import Messaging
import Synchronization

/// The records that a member of a consumer group has in flight: one, and those that let others pass.
final class RecordDesk: Sendable {
    private struct State {
        var window = OffsetWindow()
        var isInterrupted = false
        /// Those that let others pass.
        var passed: [(record: KafkaRecord, turn: RecordTurn)] = []

        /// What has to be finished before the record may be begun.
        func ahead(of record: KafkaRecord) -> RecordTurn? {
            let isFull = window.count(of: record.partition) >= RecordDesk.maximumOpen
            return passed.first { other, turn in
                !turn.isFinished && (other.key == record.key || isFull && other.partition == record.partition)
            }?.turn
        }
    }

    /// How many may let others pass at the same time.
    static let maximumPassed = 4
    /// How many records of a partition may be begun, with the first one that is not handled: all of them come again after a restart.
    static let maximumOpen = 1000
    private let state = Mutex(State())

    /// Whether a record was given back: no other is begun.
    var isInterrupted: Bool { state.withLock { $0.isInterrupted } }

    /// Whether the record is in hand, or handled and waits for one before it: it comes again after a rebalance, and is not begun again.
    func has(_ record: KafkaRecord) -> Bool { state.withLock { $0.window.contains(record) } }

    /// Waits until no record of this key is in flight, so that those of one capture stay in their order, and until not too many of its
    /// partition have passed one.
    func begin(_ record: KafkaRecord) async -> RecordTurn {
        while let ahead = state.withLock({ $0.ahead(of: record) }) { await ahead.finished() }
        state.withLock { $0.window.begin(record) }
        return RecordTurn()
    }

    /// Lets others pass, unless too many have done so.
    func pass(_ turn: RecordTurn, of record: KafkaRecord) {
        let hasRoom = state.withLock { state in
            state.passed.removeAll { $0.turn.isFinished }
            // Again, by a handler that retries.
            if state.passed.contains(where: { $0.turn === turn }) { return true }
            guard state.passed.count < Self.maximumPassed else { return false }
            state.passed.append((record, turn))
            return true
        }
        if hasRoom { turn.pass() }
    }

    /// - Parameter isHandled: false if the record will be redelivered.
    /// - Returns: the record whose offset may be stored now, if any.
    func finish(_ record: KafkaRecord, isHandled: Bool) -> KafkaRecord? {
        state.withLock { state in
            guard isHandled else {
                state.isInterrupted = true
                return nil
            }
            return state.window.finish(record)
        }
    }
}
