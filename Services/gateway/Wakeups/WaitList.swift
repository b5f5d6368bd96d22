/// The waiters by key. Pure state: no clock, no task.
struct WaitList<Waiter> {
    private var waiting: [String: [UInt64: Waiter]] = [:]
    private var lastID: UInt64 = 0
    private(set) var count = 0

    /// The id of the next waiter.
    mutating func id() -> UInt64 {
        lastID += 1
        return lastID
    }

    mutating func add(_ waiter: Waiter, _ id: UInt64, for key: String) {
        waiting[key, default: [:]][id] = waiter
        count += 1
    }

    /// - Returns: `nil` if this waiter has been removed or not added yet.
    mutating func remove(_ id: UInt64, for key: String) -> Waiter? {
        guard let waiter = waiting[key]?.removeValue(forKey: id) else { return nil }
        if waiting[key]?.isEmpty == true { waiting[key] = nil }
        count -= 1
        return waiter
    }

    mutating func removeAll(for key: String) -> [Waiter] {
        let removed = waiting.removeValue(forKey: key).map { Array($0.values) } ?? []
        count -= removed.count
        return removed
    }
}
