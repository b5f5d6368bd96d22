/// The names of a connection's prepared statements, evicted least recently used first.
struct StatementCache {
    /// The same text with other parameter types is a different statement.
    struct Key: Hashable {
        let text: String
        let types: [UInt32]
    }

    private struct Entry {
        let name: String
        var lastUse: UInt64
    }

    private let limit: Int
    private var entries: [Key: Entry] = [:]
    private var clock: UInt64 = 0

    init(limit: Int) { self.limit = limit }

    var isFull: Bool { entries.count >= limit }

    mutating func name(for key: Key) -> String? {
        clock &+= 1
        entries[key]?.lastUse = clock
        return entries[key]?.name
    }

    /// A name not used before on this connection. Call ``insert(_:named:)`` once the server has prepared the statement.
    mutating func makeName() -> String {
        clock &+= 1
        return "rial_\(clock)"
    }

    mutating func insert(_ key: Key, named name: String) { entries[key] = Entry(name: name, lastUse: clock) }

    /// - Returns: the name to deallocate.
    mutating func remove(_ key: Key) -> String? { entries.removeValue(forKey: key)?.name }

    /// - Returns: the name to deallocate.
    mutating func removeLeastRecentlyUsed() -> String? {
        entries.min { $0.value.lastUse < $1.value.lastUse }.flatMap { remove($0.key) }
    }
}
