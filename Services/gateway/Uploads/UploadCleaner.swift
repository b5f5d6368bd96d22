import Delivery
import Foundation
import Logging
import Metrics

/// A batch of uploads to clean up after.
struct ClosedUploads: Sendable {
    /// How many were ended now, because their time was over.
    let expired: Int
    /// Uploads whose segments are to be deleted, among them those.
    let closed: [UploadID]
}

/// Finds uploads to clean up after.
protocol UploadUpkeepRepository: Sendable {
    /// Ends expired uploads and finds closed ones that still have segments.
    /// - Returns: `nil` if another gateway is at it.
    func closeExpired(limit: Int) async throws -> ClosedUploads?

    /// - Returns: how many of these have no segments any more.
    func emptied(among ids: [UploadID]) async throws -> Int

    /// Deletes the rows of closed uploads that were kept long enough.
    /// - Returns: how many.
    func forgetOld(limit: Int) async throws -> Int

    /// The number of open uploads and the bytes that are stored of them.
    func open() async throws -> (uploads: Int, bytes: Int64)
}

/// Ends uploads that nobody completed within their time, deletes the segments of closed ones, and forgets what was kept long enough.
struct UploadCleaner: Sendable {
    static let batchSize = 100
    /// The largest number of deletions at a time.
    static let concurrency = 8

    let uploads: any UploadUpkeepRepository
    let resumable: ResumableUploads
    let logger: Logger

    /// One gateway at a time decides what is to be cleaned up; deleting something twice does no harm. Ends early at shutdown.
    func clean() async throws {
        while try await cleanBatch(), !Task.isEnding {}
        while !Task.isEnding, try await uploads.forgetOld(limit: Self.batchSize) == Self.batchSize {}
    }

    /// - Returns: whether another batch may make progress.
    private func cleanBatch() async throws -> Bool {
        guard let batch = try await uploads.closeExpired(limit: Self.batchSize) else { return false }
        if batch.expired > 0 {
            Counter(label: "rial_uploads_expired_total").increment(by: batch.expired)
            logger.notice("uploads expired", metadata: ["count": "\(batch.expired)"])
        }
        var rest = batch.closed[...]
        while !rest.isEmpty, !Task.isEnding {
            let some = rest.prefix(Self.concurrency)
            await withDiscardingTaskGroup { group in
                for id in some { group.addTask { await resumable.empty(id, leavesNothing: false) } }
            }
            rest = rest.dropFirst(Self.concurrency)
        }
        let isFull = batch.expired == Self.batchSize || batch.closed.count == Self.batchSize
        // What could not be deleted now is tried again at the next run, not at once.
        guard isFull else { return false }
        return try await uploads.emptied(among: batch.closed) > 0
    }

    /// Counts what is open, at all gateways together.
    func measure() async throws {
        let (open, bytes) = try await uploads.open()
        Meter(label: "rial_resumable_uploads_open").set(open)
        Meter(label: "rial_resumable_upload_bytes").set(bytes)
    }
}
