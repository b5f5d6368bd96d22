/// What one who asks a pool for a connection gets.
enum PoolGrant<Connection> {
    case connection(Connection)
    /// The right to open one.
    case opening
}

extension PoolGrant: Sendable where Connection: Sendable {}
extension PoolGrant: Equatable where Connection: Equatable {}

/// Who has which connection: idle ones, leased ones, and those who wait, first come first served.
///
/// A value behind the pool's mutex: every method answers at once, and what is to be done about it is the caller's.
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

    /// - Returns: all who wait, for the caller to resume.
    mutating func close() -> [Waiter] {
        isClosed = true
        defer { waiters = [] }
        return waiters.map(\.waiter)
    }
}
