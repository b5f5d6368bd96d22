import Foundation

/// Who has which connection: idle ones, leased ones, and those who wait, first come first served.
///
/// A value behind the pool's mutex: every method answers at once, and what is to be done about it is the caller's.
struct PoolLedger {
    /// What one who asks for a connection gets.
    enum Grant: Sendable {
        case connection(PostgresConnection)
        /// The right to open one.
        case opening
    }

    typealias Waiter = CheckedContinuation<Grant, any Error>

    private let size: Int
    private(set) var idle: [PostgresConnection] = []
    /// Leased or being opened.
    private(set) var leased = 0
    private var waiters: [(id: UInt64, waiter: Waiter)] = []
    private var lastID: UInt64 = 0
    private(set) var isClosed = false

    init(size: Int) { self.size = max(1, size) }

    var waiting: Int { waiters.count }

    mutating func makeID() -> UInt64 {
        lastID &+= 1
        return lastID
    }

    /// - Returns: `nil` if the caller has to wait.
    mutating func take() -> Grant? {
        // The most recently used one first: the others may be dead.
        if let connection = idle.popLast() {
            leased += 1
            return .connection(connection)
        }
        guard leased < size else { return nil }
        leased += 1
        return .opening
    }

    mutating func wait(_ id: UInt64, _ waiter: Waiter) { waiters.append((id, waiter)) }

    /// - Returns: the waiter, for the caller to resume; `nil` if another has resumed it already.
    mutating func removeWaiter(_ id: UInt64) -> Waiter? {
        guard let index = waiters.firstIndex(where: { $0.id == id }) else { return nil }
        return waiters.remove(at: index).waiter
    }

    /// Ends a lease. A connection that is not given back makes room for another.
    /// - Returns: who gets what became free; `nil` if nobody waits.
    mutating func giveBack(_ connection: PostgresConnection?) -> (Waiter, Grant)? {
        if !waiters.isEmpty {
            return (waiters.removeFirst().waiter, connection.map(Grant.connection) ?? .opening)
        }
        leased -= 1
        if let connection { idle.append(connection) }
        return nil
    }

    mutating func takeIdle() -> [PostgresConnection] {
        defer { idle = [] }
        return idle
    }

    /// - Returns: all who wait, for the caller to resume.
    mutating func close() -> [Waiter] {
        isClosed = true
        defer { waiters = [] }
        return waiters.map(\.waiter)
    }
}
