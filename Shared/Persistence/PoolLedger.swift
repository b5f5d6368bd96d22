/// A granted lease: an idle connection, or the right to open a new one.
enum PoolGrant<Connection> {
    case connection(Connection)
    /// The right to open a connection.
    case opening
}

extension PoolGrant: Sendable where Connection: Sendable {}
extension PoolGrant: Equatable where Connection: Equatable {}

/// The state of a pool: idle connections, leases, and waiters in FIFO order.
///
/// A value guarded by the pool's mutex: no method blocks, and the caller acts on the results.
struct PoolLedger<Connection, Waiter> {
    typealias Grant = PoolGrant<Connection>

    private let size: Int
    private(set) var idle: [Connection] = []
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

    /// Acquires a lease.
    /// - Returns: `nil` if the caller must wait.
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

    /// Releases a lease. `nil` for a connection that was closed, so that another can be opened.
    /// - Returns: the next waiter and its lease; `nil` if there is no waiter.
    mutating func giveBack(_ connection: Connection?) -> (Waiter, Grant)? {
        if !waiters.isEmpty {
            return (waiters.removeFirst().waiter, connection.map(Grant.connection) ?? .opening)
        }
        leased -= 1
        if let connection { idle.append(connection) }
        return nil
    }

    mutating func takeIdle() -> [Connection] {
        defer { idle = [] }
        return idle
    }

    /// - Returns: all waiters, for the caller to resume.
    mutating func close() -> [Waiter] {
        isClosed = true
        defer { waiters = [] }
        return waiters.map(\.waiter)
    }
}
