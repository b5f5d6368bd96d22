import CaptureProtocol
import Metrics
import Models
import ObjectStorage

/// Brings the bytes of a capture that is not complete to where its announcement says that they lie, from an upload of the same bytes.
struct CaptureRepeat: Sendable {
    let storage: S3Client
    let intakes: IntakeRepository
    let captures: CaptureRepository

    /// - Parameter submission: equal to the first one by digests; its objects are as they just came.
    /// - Throws: what kept the bytes from coming; the capture is as it was, and the same upload can be sent again.
    func bring(_ known: KnownCapture, from submission: CaptureSubmission, device: DeviceID) async throws {
        guard known.status != .complete else { return }
        try await intakes.reopen(known.id, device: device)
        var isBrought = false
        let objects: [(new: StoredMedia, announced: StoredMedia)] =
            switch known.announcement.content {
            case .photo(let first): [(submission.content.photo, first.photo), (submission.content.depth, first.depth)]
            }
        for (new, announced) in objects {
            guard try await isNeeded(announced, known.status) else { continue }
            try await storage.copy(from: new.key, to: announced.key)
            isBrought = true
        }
        if isBrought { Counter(label: "rial_captures_brought_again_total").increment() }
        if isBrought || known.status == .failed { try await captures.announceAgain(known) }
    }

    /// What a failed capture is read from may be other bytes of the same length: there they are put in any case.
    private func isNeeded(_ announced: StoredMedia, _ status: CaptureStatus) async throws -> Bool {
        guard status == .processing else { return true }
        return try await storage.head(announced.key)?.sizeBytes != announced.sizeBytes
    }
}
