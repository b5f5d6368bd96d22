/// Ends a run after several failures in a row: they point to a dependency and not to single captures. The run is retried later.
struct FailureLimit {
    static let failures = 3
    private var count = 0

    /// - Throws: `error` if it is failure number ``failures`` in a row.
    mutating func note(_ error: any Error) throws {
        count += 1
        if count >= Self.failures { throw error }
    }

    mutating func succeed() { count = 0 }
}
