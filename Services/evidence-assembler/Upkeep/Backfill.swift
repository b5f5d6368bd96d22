import Delivery
import ObjectStorage

/// Fills in missing values of rows from earlier versions, in one pass and in batches. It may be interrupted at any time and run by several
/// instances at once if `fill` writes a row only once.
struct Backfill<Row: Sendable> {
    let batchSize: Int
    /// The next batch of rows after the given one, in a fixed order.
    let rows: (_ last: Row?) async throws -> [Row]
    /// - Throws: ``ObjectStorageError`` for an object that cannot be read now; the other rows are still filled.
    let fill: (Row) async throws -> Void
    let log: (Row, ObjectStorageError) -> Void
    /// Rows that are passed over: they neither count as read nor as failures.
    var isPassed: (Row) -> Bool = { _ in false }

    /// - Throws: database errors, and storage errors once ``FailureLimit/failures`` rows in a row could not be read.
    func run() async throws {
        var last: Row?
        var limit = FailureLimit()
        while true {
            let batch = try await rows(last)
            for row in batch {
                guard !Task.isEnding else { return }
                last = row
                if isPassed(row) { continue }
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
