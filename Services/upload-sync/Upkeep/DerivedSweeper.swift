import CaptureProtocol
import Foundation
import Logging
import ObjectStorage

/// The object keys that rows name, by capture. Each method is one transaction.
protocol DerivedRepository: Sendable {
    /// Captures that have been complete for a day and were not swept. Excludes those whose Content Credentials wait for a time stamp: their
    /// objects are not named yet.
    func unswept(limit: Int) async throws -> [CaptureID]
    func objectKeys(of capture: CaptureID) async throws -> Set<String>
    func noteSwept(_ capture: CaptureID) async throws
}

/// Deletes orphaned derived objects (which no row names) a day after the capture was complete, and ends multipart uploads that were left
/// unfinished. They arise when two instances process the same capture and both store their results, or when one dies meanwhile. Each
/// capture is swept once, as recorded in `sync_jobs`.
struct DerivedSweeper {
    static let batchSize = 100
    static let youth: TimeInterval = 86_400
    let rows: any DerivedRepository
    let storage: any ObjectStore
    let logger: Logger

    /// - Parameter now: to compute the age of objects.
    func sweep(at now: Date) async throws {
        try await CleanupTask.derivedObjects.inBatches(of: Self.batchSize, logger, rows.unswept(limit:)) { try await sweep($0, at: now) }
    }

    /// - Returns: false if an orphaned object is younger than ``youth``; the capture is then swept again later.
    private func sweep(_ capture: CaptureID, at now: Date) async throws -> Bool {
        let stored = StoredPrefix.media(of: capture, in: storage)
        // List objects before reading the keys: an object that is named in between is then not taken for an orphan.
        let objects = try await stored.objects()
        let named = try await rows.objectKeys(of: capture)
        let unnamed = objects.filter { !named.contains($0.key) }
        let limit = now.addingTimeInterval(-Self.youth)
        let old = unnamed.filter { ($0.lastModified ?? .distantFuture) < limit }
        try await stored.delete(old.map(\.key))
        // What is stored of a capture that has been complete for a day, its share card, is too small for an upload in parts.
        for upload in try await storage.unfinishedUploads(under: stored.text) { try await storage.end(upload) }
        guard old.count == unnamed.count else { return false }
        try await rows.noteSwept(capture)
        return true
    }
}
