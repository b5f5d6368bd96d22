import CaptureProtocol
import ContentCredentials
import Delivery
import Evidence
import Foundation
import Logging
import MediaStore
import Metrics
import Models
import ObjectStorage
import Observability
import ShareCard

/// The signer is unavailable: the capture must wait without blocking other captures.
struct SignerAway: Error {}

/// Assembles the package of a capture with all its parts, publishes the photo, and completes the capture once.
struct CaptureAssembly<Captures: AssemblyRepository>: Sendable {
    let captures: Captures
    let storage: any ObjectStore
    let credentials: any CredentialIssuing
    let cards: ShareCardMaker

    /// - Parameter event: the event of its last part; `nil` for a capture that waited for the signer.
    /// - Throws: ``SignerAway`` if the capture must be signed and cannot be now; ``RejectedMessage`` for permanent failures.
    func complete(_ gathered: GatheredCapture, event: MessageContext?, _ logger: Logger) async throws {
        let start = ContinuousClock.now
        let (announcement, parts) = (gathered.announcement, gathered.parts)
        let capture = announcement.captureID
        let photo = try await OriginalPhoto(of: parts, in: storage)
        FailPoint.reached("evidence-assembler.exif")
        let statement = try Self.statement(announcement, exif: photo.exif)
        let (assembled, confidence) = EvidenceAssembly.assemble(
            attestation: parts.attestation, depth: parts.depth, statement: statement, receivedAt: announcement.receivedAt,
            completedAt: Date())
        let content = ShareCardContent(
            assembled, confidence, parts.attestation, capturedAt: statement.capturedAt, mediaHash: gathered.mediaHash)
        async let card = cards.make(content, for: capture, from: parts.pictures)
        let (package, published) = try await publish(
            photo.publicCopy, of: capture, assembled, confidence, capturedAt: statement.capturedAt, isTrial: event == nil)
        var objects = parts.objects
        objects[.shareCard] = try await card
        objects.merge(published.objects) { $1 }
        FailPoint.reached("evidence-assembler.signed")
        let assembledCapture = AssembledCapture(
            package: package, confidence: confidence, objects: objects, credentials: published.credentials)
        guard try await captures.complete(capture, assembledCapture, answering: event) else { return }
        Counter(label: "rial_captures_completed_total", dimensions: [("confidence", confidence.rawValue)]).increment()
        Metrics.Timer(label: "rial_capture_completion_seconds").record(
            duration: .seconds(min(Date().timeIntervalSince(announcement.receivedAt), 1e6)))
        logger.info(
            "capture complete",
            metadata: [
                "confidence": "\(confidence.rawValue)", "assembly_seconds": "\(ContinuousClock.now - start)",
            ])
    }

    private static func statement(_ announcement: CaptureAnnouncement, exif: EXIFFields?) throws -> EvidenceAssembly.Statement {
        switch announcement.content {
        case .hashOnly(let payload): return .hashOnly(payload)
        case .video: throw RejectedMessage(.captureUnreadable, detail: "a video")
        case .photo:
            do {
                return .photo(try CaptureMetadata.parse(announcement.metadata), exif: exif)
            } catch {
                throw RejectedMessage(.metadataUnreadable, detail: "\(error)")
            }
        }
    }

    /// The published photo.
    private enum Published {
        case signed(IssuedCredentials)
        case unsigned(StoredMedia)
        /// The photo is not a readable JPEG.
        case nothing

        var credentials: IssuedCredentials? {
            guard case .signed(let issued) = self else { return nil }
            return issued
        }

        var objects: [MediaName: StoredMedia] {
            switch self {
            case .signed(let issued): issued.objects
            case .unsigned(let copy): [.publicCopy: copy]
            case .nothing: [:]
            }
        }
    }

    /// Signs the public copy if Content Credentials are due, otherwise stores it unsigned. Writes the result into the package.
    private func publish(
        _ photo: PublicCopy?, of capture: CaptureID, _ assembled: EvidencePackage, _ confidence: ConfidenceLevel, capturedAt: SharedTime,
        isTrial: Bool
    ) async throws -> (package: EvidencePackage, published: Published) {
        var package = assembled
        if package.contentCredentials.status == .pending, case .exact(let capturedAt) = capturedAt {
            let claim = CaptureClaim(captureID: capture, capturedAt: capturedAt, evidence: package, confidence: confidence)
            switch try await credentials.issue(claim, photo: photo, isTrial: isTrial) {
            case .noSignerYet: throw SignerAway()
            case .made(let issued):
                package.contentCredentials = ContentCredentialsEvidence(status: .embedded, reason: nil)
                return (package, .signed(issued))
            case .noTimestampYet: package.contentCredentials.reason = StableWord(.noTimestampYet)
            case .notSignable(let reason):
                package.contentCredentials = ContentCredentialsEvidence(status: .unavailable, reason: reason)
            }
        }
        guard let photo else { return (package, .nothing) }
        let stored = try await storage.storeDerived(photo.bytes, named: .publicCopy, of: capture, pixels: photo.pixels)
        return (package, .unsigned(stored))
    }
}
