import CaptureProtocol
import Delivery
import Foundation
import Logging
import Metrics
import ObjectStorage

/// One search for the objects of a withdrawn capture.
struct ErasureLook: Sendable {
    /// The resumable uploads that became the capture; objects that are left of them are under their own prefixes.
    let uploads: [UUID]
    /// Changes when the capture becomes due again because a service stored something late, and when another instance searches.
    let version: String
}

/// Withdrawn captures whose objects are to be deleted. Each method is one transaction.
protocol ErasureRepository: Sendable {
    func isWithdrawn(_ capture: CaptureID) async throws -> Bool

    /// Withdrawn captures whose objects are to be searched for now, those first that are not erased; other instances do not get them for a
    /// minute.
    func due(limit: Int) async throws -> [CaptureID]

    /// Called before the store is searched. The capture must be withdrawn.
    func begin(_ capture: CaptureID) async throws -> ErasureLook

    /// Records a search, and decides when the next one is due: after as long as nothing was found until now, but five seconds at least and
    /// ten minutes at most. The capture counts as erased once nothing was found for an hour. It is then still searched again, after a day
    /// at least and thirty days at most: a process may have been paused for long and have died after it stored an object. A search that
    /// found nothing does not count if the capture became due again since it began: an object may have been stored after the search passed.
    /// - Parameters:
    ///   - found: how many objects were found and deleted.
    ///   - context: the event that is processed with this; `nil` for a search without one.
    func note(_ capture: CaptureID, _ look: ErasureLook, found: Int, answering context: MessageContext?) async throws

    /// The number of captures that are not erased, and for how many seconds the oldest of them is: since its withdrawal, or since an object
    /// came after it was erased.
    func measure() async throws -> (open: Int64, seconds: Double)
}

/// Deletes every object of withdrawn captures (SPEC §6), and searches again for what a slow service may have stored since.
struct WithdrawnObjects: Sendable {
    static let batchSize = 100
    let rows: any ErasureRepository
    let storage: any ObjectStore
    let logger: Logger

    /// The captures that are due, by their rows in PostgreSQL: no event is needed. Ends early at shutdown.
    func eraseDue() async throws {
        while true {
            let captures = try await rows.due(limit: Self.batchSize)
            for capture in captures {
                guard !Task.isEnding else { return }
                do {
                    try await erase(capture)
                } catch {
                    logger.cleanupFailed(.withdrawnObjects, capture, error)
                }
            }
            let (open, seconds) = try await rows.measure()
            Meter(label: "rial_withdrawals_open").set(open)
            Meter(label: "rial_withdrawals_open_seconds").set(seconds)
            guard captures.count == Self.batchSize else { return }
        }
    }

    /// The capture must be withdrawn.
    /// - Parameter context: the event that asks for it, if any.
    func erase(_ capture: CaptureID, answering context: MessageContext? = nil) async throws {
        let look = try await rows.begin(capture)
        var found =
            try await StoredPrefix.media(of: capture, in: storage).empty()
            + StoredPrefix.intake(of: capture, in: storage).empty()
        for upload in look.uploads { found += try await StoredPrefix.upload(upload, in: storage).empty() }
        Counter(label: "rial_withdrawn_objects_deleted_total").increment(by: found)
        try await rows.note(capture, look, found: found, answering: context)
        if found > 0 {
            logger.notice("objects of a withdrawn capture deleted", metadata: ["capture_id": "\(capture)", "count": "\(found)"])
        }
    }
}
