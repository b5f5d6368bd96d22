import ObjectStorage
import ServiceLifecycle

/// Several failures in a row are not the fault of single captures: the turn ends and is tried again later.
struct FailureLimit {
    static let failures = 3
    private var count = 0

    /// - Throws: `error` once it is one too many.
    mutating func note(_ error: any Error) throws {
        count += 1
        if count >= Self.failures { throw error }
    }

    mutating func succeed() { count = 0 }
}

/// Goes once through rows of before something was recorded, in batches. It may be interrupted at any moment and run by several instances
/// at once, if what is written to a row is written once.
struct Backfill<Row: Sendable> {
    let batchSize: Int
    /// Rows after the given one, in a fixed order.
    let rows: (_ last: Row?) async throws -> [Row]
    /// - Throws: ``ObjectStorageError`` for an object that cannot be read now; it does not hold up the others.
    let fill: (Row) async throws -> Void
    let log: (Row, ObjectStorageError) -> Void

    /// - Throws: database errors, and storage errors once ``FailureLimit/failures`` rows in a row could not be read.
    func run() async throws {
        var last: Row?
        var limit = FailureLimit()
        while true {
            let batch = try await rows(last)
            for row in batch {
                guard !Task.isCancelled, !Task.isShuttingDownGracefully else { return }
                last = row
                do {
                    try await fill(row)
                    limit.succeed()
                } catch let error as ObjectStorageError {
                    log(row, error)
                    try limit.note(error)
                }
            }
            if batch.count < batchSize { return }
        }
    }
}
