import CaptureProtocol
import Delivery
import Models
import Persistence

/// One service's part as the assembler keeps it.
struct StoredPart: Sendable {
    let part: EvidencePart
    /// Present if the part is done.
    let result: PostgresJSON?
    /// Present if the service gave up.
    let reason: StableWord<FailureReason>?
}

/// A capture whose parts are all there.
struct GatheredCapture: Sendable {
    let announcement: CaptureAnnouncement
    /// SHA-256 of the original.
    let mediaHash: ContentDigest
    let parts: EvidenceParts
}

/// The state of a capture after one more part.
enum TakenPart: Sendable {
    /// Parts are missing, the capture is final, or the event was answered before.
    case waiting
    /// The part stands as an error, and the capture failed by it just now.
    case failed(StableWord<FailureReason>)
    /// All parts are there: the event is answered only with the package.
    case complete(GatheredCapture)
}

/// The package of a capture, with what is published beside it.
struct AssembledCapture: Sendable {
    let package: EvidencePackage
    let confidence: ConfidenceLevel
    /// All of the capture's objects, by name.
    let objects: [MediaName: StoredMedia]
    /// `nil` without a signed copy.
    let credentials: IssuedCredentials?
}

/// Captures, their parts, and their packages. A capture is completed once, and its events are answered once.
protocol AssemblyRepository: Sendable {
    /// In which dead letters are stored.
    associatedtype Transaction: Sendable

    /// Takes over what the service of one part has stored: a done part replaces an error, and nothing replaces a done one but, until the
    /// capture is final, what was found of its media once their bytes had come again. What an event says of its part is not looked at
    /// (SPEC §1). Events of one capture wait for each other, so that exactly the last one sees all parts.
    /// - Throws: ``RejectedMessage`` if there is no such capture.
    func take(_ part: EvidencePart, of capture: CaptureID, answering context: MessageContext) async throws -> TakenPart

    /// Answers the event of a capture that waits for the signer; one that had failed is in processing again.
    func park(_ capture: CaptureID, answering context: MessageContext) async throws

    /// Completes the capture with all that is published, and announces it.
    /// - Parameter context: `nil` for a capture that waited for the signer.
    /// - Returns: false if the event was answered or the capture completed before.
    func complete(_ capture: CaptureID, _ assembled: AssembledCapture, answering context: MessageContext?) async throws -> Bool

    /// Notes and announces that the capture failed.
    /// - Returns: false if it is complete, or failed for the same reason before.
    func fail(_ capture: CaptureID, reason: FailureReason, on transaction: Transaction) async throws -> Bool

    /// Captures in processing whose last part came five seconds ago: they wait for the signer, longest first.
    func unsigned(limit: Int) async throws -> [CaptureID]

    /// A capture that waits, as it is now; `nil` if parts are missing.
    func gathered(_ capture: CaptureID) async throws -> GatheredCapture?
}
