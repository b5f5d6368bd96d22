import Foundation

/// A proxy between a service and PostgreSQL that can drop the response to a COMMIT: the transaction is committed, but the connection breaks
/// before the client gets the response.
public final class PostgresProxy: Sendable {
    private struct State {
        /// The response to the first transaction with a statement that contains this text is dropped.
        var text: String?
        var dropped = 0
        var isAway = false
        /// Whether the server appears to be down after a response was dropped.
        var staysAway = false

        /// Whether the response to this transaction is to be dropped; true only once.
        mutating func takes(_ transaction: [String]) -> Bool {
            guard let text, transaction.contains(where: { $0.contains(text) }) else { return false }
            self.text = nil
            isAway = staysAway
            return true
        }
    }

    public var port: Int { relay.port }
    /// The number of responses dropped so far.
    public var dropped: Int { state.withLock { $0.dropped } }
    private let relay: LoopbackRelay
    private let state: SharedValue<State>

    /// - Parameter target: PostgreSQL's port.
    public init(to target: @escaping @Sendable () -> Int?) throws {
        let state = SharedValue(State())
        self.state = state
        relay = try LoopbackRelay(
            to: target, refuses: { state.withLock { $0.isAway } }, handle: { Self.relay($0, state) }, refuse: { _ in })
    }

    /// Drops the response to the next COMMIT of a transaction with a statement that contains `text`.
    /// - Parameter staysAway: whether connections are refused afterwards until ``comeBack()``.
    public func loseCommit(of text: String, staysAway: Bool = false) {
        state.withLock { state in
            state.text = text
            state.staysAway = staysAway
        }
    }

    /// Accepts connections again and drops no more responses.
    public func comeBack() {
        state.withLock { state in
            state.text = nil
            state.isAway = false
            state.staysAway = false
        }
    }

    /// Closes all open connections.
    public func cut() { relay.cut() }

    private static func relay(_ pair: RelayedPair, _ state: SharedValue<State>) {
        let isDropping = SharedValue(false)
        pair.pump { pair in
            var messages = FrontendMessages()
            // While the server appears to be down, existing connections end as well.
            while let chunk = LoopbackSocket.receive(from: pair.client), !state.withLock({ $0.isAway }) {
                messages.append(chunk)
                while let message = messages.next() {
                    if message.commits.contains(where: { text in state.withLock { $0.takes(text) } }) {
                        isDropping.withLock { $0 = true }
                    }
                    guard LoopbackSocket.sendAll(message.bytes, to: pair.server) else { return }
                }
            }
        } down: { pair in
            var tail: [UInt8] = []
            while let chunk = LoopbackSocket.receive(from: pair.server) {
                guard isDropping.withLock({ $0 }) else {
                    guard LoopbackSocket.sendAll(chunk, to: pair.client) else { return }
                    continue
                }
                tail = Array((tail + chunk).suffix(6))
                // ReadyForQuery: the server has finished the transaction.
                if tail.count == 6, tail.prefix(5) == [UInt8(ascii: "Z"), 0, 0, 0, 5] {
                    state.withLock { $0.dropped += 1 }
                    return
                }
            }
        }
    }
}
