import Messaging
import Synchronization

/// The records that a member of a consumer group has in hand: one, and those that let others pass.
final class RecordDesk: Sendable {
    private struct State {
        var window = OffsetWindow()
        var isInterrupted = false
        /// Records that let others pass, and records that wait for one of these because they have the same key.
        var passed: [(record: KafkaRecord, turn: RecordTurn)] = []

        /// An unfinished record of the same partition, if so many records after it have begun that no more may; else `nil`.
        func obstacle(of record: KafkaRecord) -> RecordTurn? {
            guard window.count(of: record.partition) >= RecordDesk.maximumOpen else { return nil }
            return passed.first { other, turn in !turn.isFinished && other.partition == record.partition }?.turn
        }
    }

    /// How many may let others pass at the same time, not counting those that wait for one of their key.
    static let maximumPassed = 4
    /// How many records of a partition may be begun, counted from the first unhandled one: all of them are delivered again after a restart.
    static let maximumOpen = 1000
    private let state = Mutex(State())

    /// Whether a record was returned unhandled, at shutdown: then no other is begun.
    var isInterrupted: Bool { state.withLock { $0.isInterrupted } }

    /// Whether the record is being handled, or is handled and waits for an earlier one. A rebalance delivers it again; it is not begun
    /// again.
    func has(_ record: KafkaRecord) -> Bool { state.withLock { $0.window.renew(record) } }

    /// Begins a record, as soon as not too many records of its partition are begun.
    /// - Returns: its turn, and the turn of an earlier record with the same key, which has to finish first so that the records of one
    ///   capture stay in order; other records may pass meanwhile.
    func begin(_ record: KafkaRecord) async -> (turn: RecordTurn, ahead: RecordTurn?) {
        while let obstacle = state.withLock({ $0.obstacle(of: record) }) { await obstacle.finished() }
        let turn = RecordTurn()
        let ahead: RecordTurn? = state.withLock { state in
            state.window.begin(record)
            state.passed.removeAll { $0.turn.isFinished }
            guard let ahead = state.passed.last(where: { $0.record.key == record.key })?.turn else { return nil }
            state.passed.append((record, turn))
            return ahead
        }
        if ahead != nil { turn.pass() }
        return (turn, ahead)
    }

    /// Lets others pass, unless too many have done so.
    func pass(_ turn: RecordTurn, of record: KafkaRecord) {
        let hasRoom = state.withLock { state in
            state.passed.removeAll { $0.turn.isFinished }
            // A handler that retries calls this again.
            if state.passed.contains(where: { $0.turn === turn }) { return true }
            guard Set(state.passed.map { $0.record.key }).count < Self.maximumPassed else { return false }
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
