import CaptureProtocol
import Delivery
import Models

/// The device was revoked while its capture was signed. Nothing was recorded: the copy must not be published, and another attempt completes
/// the capture without.
struct RevokedMeanwhile: Error {}

/// The state of a capture after one more part.
enum TakenPart: Sendable {
    /// Parts are missing, the capture is final, or the event was processed before.
    case waiting
    /// The part is an error, and the capture has just failed by it.
    case failed(StableWord<FailureReason>)
    /// All parts are done: the event is marked as processed when the package is saved.
    case complete(GatheredCapture)
}

/// The package of a capture and everything published with it.
struct AssembledCapture: Sendable {
    let package: EvidencePackage
    let confidence: ConfidenceLevel
    /// All of the capture's objects, by name.
    let objects: [MediaName: StoredMedia]
    /// `nil` without a signed copy.
    let credentials: IssuedCredentials?
    /// The first one.
    let statement: NewStatement
}

/// Captures, their parts and their packages. Idempotent: a capture is completed once, and an event is processed once.
protocol AssemblyRepository: Sendable {
    /// The transaction that stores the dead letter.
    associatedtype Transaction: Sendable

    /// Copies the stored result of one part: a done part replaces an error. A done part is replaced only by new findings about media that
    /// were uploaded again, and only until the capture is final. The event's payload is not used (SPEC §1). Calls for one capture are
    /// serialized, so exactly the last one sees all parts.
    /// - Throws: ``RejectedMessage`` if there is no such capture, or if a part names objects that were not announced.
    func take(_ part: EvidencePart, of capture: CaptureID, answering context: MessageContext) async throws -> TakenPart

    /// Marks the event of a capture that waits for the signer, or for room on disk, as processed; a failed capture is in processing again.
    func park(_ capture: CaptureID, answering context: MessageContext) async throws

    /// Completes the capture, records its published objects and its statement, and announces it. If its device was revoked meanwhile, so is
    /// the capture.
    /// - Parameter context: `nil` for a capture that waited for the signer, or for room on disk.
    /// - Returns: false if the event was processed or the capture completed before, or if it was withdrawn: then its objects are looked for
    ///   again.
    /// - Throws: ``RevokedMeanwhile`` if it is signed and now revoked.
    func complete(_ capture: CaptureID, _ assembled: AssembledCapture, answering context: MessageContext?) async throws -> Bool

    /// Records and announces that the capture failed.
    /// - Returns: false if the capture is complete or has already failed for the same reason.
    func fail(_ capture: CaptureID, reason: FailureReason, on transaction: Transaction) async throws -> Bool

    /// Records and announces that the capture failed, in a transaction of its own.
    /// - Returns: as ``fail(_:reason:on:)``.
    func fail(_ capture: CaptureID, reason: FailureReason) async throws -> Bool

    /// Captures in processing whose last part was received more than five seconds ago, of a stored video more than three minutes: they wait
    /// for the signer, or for room on disk. Up to `limit` videos and as many others, longest waiting first.
    func unsigned(limit: Int) async throws -> WaitingCaptures

    /// The current parts of a capture in processing; `nil` if parts are missing, or if it is not in processing any more.
    func gathered(_ capture: CaptureID) async throws -> GatheredCapture?
}
