import CaptureProtocol
import Foundation
import Logging
import ObjectStorage

/// Which objects of a capture have a name. Each method is one transaction.
protocol DerivedRepository: Sendable {
    /// Captures complete for a day of which unnamed objects were not looked for. Content Credentials that still wait for their time stamp
    /// will come to name what they made.
    func unswept(limit: Int) async throws -> [CaptureID]
    func objectKeys(of capture: CaptureID) async throws -> Set<String>
    func noteSwept(_ capture: CaptureID) async throws
}

/// Deletes what was made of a capture and is named by no row, a day after the capture was complete: of two workers both may have stored
/// theirs. Once a capture; `sync_jobs` says for which it was done.
struct DerivedSweeper {
    static let batchSize = 100
    static let youth: TimeInterval = 86_400
    let rows: any DerivedRepository
    let storage: any ObjectStore
    let logger: Logger

    /// - Parameter now: by which the age of objects is judged.
    func sweep(at now: Date) async throws {
        while true {
            let captures = try await rows.unswept(limit: Self.batchSize)
            var swept = 0
            for id in captures {
                do {
                    if try await sweep(id, at: now) { swept += 1 }
                } catch {
                    logger.cleanUpFailed("derived objects", id, error)
                }
            }
            guard captures.count == Self.batchSize, swept > 0, !Task.isCancelled else { return }
        }
    }

    /// - Returns: false if something is too young to be judged; the capture is looked at again.
    private func sweep(_ capture: CaptureID, at now: Date) async throws -> Bool {
        let stored = StoredPrefix.media(of: capture, in: storage)
        // The objects first: what is named between the two questions is not taken for unnamed.
        let objects = try await stored.objects()
        let named = try await rows.objectKeys(of: capture)
        let unnamed = objects.filter { !named.contains($0.key) }
        let limit = now.addingTimeInterval(-Self.youth)
        let old = unnamed.filter { ($0.lastModified ?? .distantFuture) < limit }
        try await stored.delete(old.map(\.key))
        guard old.count == unnamed.count else { return false }
        try await rows.noteSwept(capture)
        return true
    }
}
