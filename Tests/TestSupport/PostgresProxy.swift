import Foundation
import Synchronization

/// Stands between a service and PostgreSQL and can lose the answer to a COMMIT: the transaction stands, and the connection breaks before
/// who asked for it learns so.
public final class PostgresProxy: Sendable {
    private struct State {
        /// A transaction that ran a statement with this text is the one.
        var text: String?
        var swallowed = 0
        var isAway = false
        /// Whether the server seems to be away once an answer was lost.
        var staysAway = false

        /// Whether this is the transaction; then there is none after it.
        mutating func takes(_ transaction: [String]) -> Bool {
            guard let text, transaction.contains(where: { $0.contains(text) }) else { return false }
            self.text = nil
            isAway = staysAway
            return true
        }
    }

    public var port: Int { relay.port }
    /// Answers lost so far.
    public var swallowed: Int { state.withLock { $0.swallowed } }
    private let relay: LoopbackRelay
    private let state: Lent<State>

    /// - Parameter target: PostgreSQL's port.
    public init(to target: @escaping @Sendable () -> Int?) throws {
        let state = Lent(State())
        self.state = state
        relay = try LoopbackRelay(
            to: target, refuses: { state.withLock { $0.isAway } }, handle: { Self.relay($0, state) }, refuse: { _ in })
    }

    /// The answer to the next COMMIT of a transaction in which a statement holding `text` ran is lost.
    /// - Parameter staysAway: no connection is accepted from then on, until ``comeBack()``.
    public func loseCommit(of text: String, staysAway: Bool = false) {
        state.withLock { state in
            state.text = text
            state.staysAway = staysAway
        }
    }

    /// Accepts connections again, and loses nothing more.
    public func comeBack() {
        state.withLock { state in
            state.text = nil
            state.isAway = false
            state.staysAway = false
        }
    }

    /// Ends all connections that there are.
    public func cut() { relay.cut() }

    private static func relay(_ pair: RelayedPair, _ state: Lent<State>) {
        let isSwallowing = Lent(false)
        pair.pump { pair in
            var messages = FrontendMessages()
            // Once the server is away it is so for connections that were open before.
            while let chunk = LoopbackSocket.receive(from: pair.client), !state.withLock({ $0.isAway }) {
                messages.append(chunk)
                while let message = messages.next() {
                    if message.commits.contains(where: { text in state.withLock { $0.takes(text) } }) {
                        isSwallowing.withLock { $0 = true }
                    }
                    guard LoopbackSocket.sendAll(message.bytes, to: pair.server) else { return }
                }
            }
        } down: { pair in
            var tail: [UInt8] = []
            while let chunk = LoopbackSocket.receive(from: pair.server) {
                guard isSwallowing.withLock({ $0 }) else {
                    guard LoopbackSocket.sendAll(chunk, to: pair.client) else { return }
                    continue
                }
                tail = Array((tail + chunk).suffix(6))
                // ReadyForQuery: the server is done with it.
                if tail.count == 6, tail.prefix(5) == [UInt8(ascii: "Z"), 0, 0, 0, 5] {
                    state.withLock { $0.swallowed += 1 }
                    return
                }
            }
        }
    }
}

/// A value that threads share; a class, so that it can be handed to several closures.
final class Lent<Value: Sendable>: Sendable {
    private let value: Mutex<Value>
    init(_ value: Value) { self.value = Mutex(value) }
    func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result { value.withLock { body(&$0) } }
}
