import Blocking
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
struct SignerUnavailable: Error {}

/// Assembles the package of a capture with all its parts, publishes the photo, and completes the capture once.
struct CaptureAssembly<Captures: AssemblyRepository>: Sendable {
    let captures: Captures
    let storage: any ObjectStore
    let credentials: any CredentialIssuing
    let cards: ShareCardMaker
    let cities: CityNames
    var statements = StatementMaker()
    /// Where a video lies, without a name, while it is published.
    var scratchFolder = FileManager.default.temporaryDirectory.path
    /// Lets two videos at a time be assembled, since each of them is on disk twice meanwhile, and a third time while it is signed. The
    /// queue needs no limit of its own, since consumers have only a few records in hand at a time.
    var videos = FIFOSemaphore(permits: 2, queueLimit: .max)
    var underWay = CapturesUnderWay()

    /// - Parameters:
    ///   - event: the event of its last part; `nil` for a capture that waited for the signer, or for room on disk, which is left to the
    ///     handler that has it in hand now, if there is one.
    ///   - lookAgain: returns what there is to be assembled once a video's turn has come; `nil` if it was completed or withdrawn while it
    ///     waited, and the event is settled.
    /// - Throws: ``SignerUnavailable`` if the capture must be signed and cannot be now; ``NoScratchSpace`` or what the disk throws
    ///   if it takes room that is not there; ``RejectedMessage`` for permanent failures; ``RevokedMeanwhile``.
    func complete(
        _ gathered: GatheredCapture, event: MessageContext?, _ logger: Logger, lookAgain: () async throws -> GatheredCapture?
    ) async throws {
        let capture = gathered.announcement.captureID
        guard underWay.begin(capture, isAlone: event == nil) else { return }
        defer { underWay.end(capture) }
        guard gathered.announcement.content.kind.takesLongToAssemble else {
            return try await assemble(gathered, event: event, logger)
        }
        let permit = try await videos.acquire()
        defer { videos.release(permit) }
        guard let current = try await lookAgain() else { return }
        try await assemble(current, event: event, logger)
    }

    private func assemble(_ gathered: GatheredCapture, event: MessageContext?, _ logger: Logger) async throws {
        let start = ContinuousClock.now
        let (announcement, parts) = (gathered.announcement, gathered.parts)
        let capture = announcement.captureID
        async let original = Original(of: parts, in: storage, scratchFolder: scratchFolder)
        // A photo's is known before its file is here, so that the share card is drawn meanwhile.
        let known = try EvidenceAssembly.Statement(announcement, parts)
        let statement =
            if let known { known } else { try await EvidenceAssembly.Statement(announcement, original, storage) }
        try gathered.mustBeCaptured(at: statement.capturedAt)
        let (assembled, confidence) = EvidenceAssembly.assemble(
            attestation: parts.attestation, depth: parts.depth, statement: statement, receivedAt: announcement.receivedAt,
            completedAt: Date(), cities: cities)
        let content = ShareCardContent(
            assembled, confidence, parts.attestation, capturedAt: statement.capturedAt, mediaHash: gathered.mediaHash)
        async let card = cards.make(content, for: capture, from: parts.pictures)
        let publicCopy = try await original.publicCopy(startedAt: statement.capturedAt.date)
        FailPoint.reached("evidence-assembler.exif")
        let (package, published) = try await publish(
            publicCopy, of: gathered, assembled, confidence, capturedAt: statement.capturedAt, isTrial: event == nil)
        var objects = parts.objects
        objects[.shareCard] = try await card
        objects.merge(published.objects) { $1 }
        FailPoint.reached("evidence-assembler.signed")
        let stated = StatedCapture(
            announcement, mediaHash: gathered.mediaHash, attestation: parts.attestation.attestationDigest,
            capturedAt: statement.capturedAt, package: package, confidence: confidence, objects: objects.mapValues(\.sha256),
            manifestID: published.credentials?.manifestID)
        let assembledCapture = AssembledCapture(
            package: package, confidence: confidence, objects: objects, credentials: published.credentials,
            statement: try statements.assessment(of: stated))
        guard try await captures.complete(capture, assembledCapture, answering: event) else { return }
        assembledCapture.statement.count()
        Counter(label: "rial_captures_completed_total", dimensions: [("confidence", confidence.rawValue)]).increment()
        Metrics.Timer(label: "rial_capture_completion_seconds").record(
            duration: .seconds(min(Date().timeIntervalSince(announcement.receivedAt), 1e6)))
        logger.info(
            "capture complete",
            metadata: [
                "confidence": "\(confidence.rawValue)", "assembly_seconds": "\(ContinuousClock.now - start)",
            ])
    }

    /// The published photo or video.
    private enum Published {
        case signed(IssuedCredentials)
        case unsigned(StoredMedia, MediaName)
        /// The photo is not a readable JPEG.
        case nothing

        var credentials: IssuedCredentials? {
            guard case .signed(let issued) = self else { return nil }
            return issued
        }

        var objects: [MediaName: StoredMedia] {
            switch self {
            case .signed(let issued): issued.objects
            case .unsigned(let copy, let name): [name: copy]
            case .nothing: [:]
            }
        }
    }

    /// Signs the public copy if Content Credentials are due, otherwise stores it unsigned. Writes the result into the package: those of a
    /// capture that is revoked stay due.
    private func publish(
        _ copy: PublicOriginal, of gathered: GatheredCapture, _ assembled: EvidencePackage, _ confidence: ConfidenceLevel,
        capturedAt: SharedTime, isTrial: Bool
    ) async throws -> (package: EvidencePackage, published: Published) {
        let capture = gathered.announcement.captureID
        var package = assembled
        if package.contentCredentials.status == .pending, !gathered.isRevoked, case .exact(let capturedAt) = capturedAt {
            let claim = CaptureClaim(captureID: capture, capturedAt: capturedAt, evidence: package, confidence: confidence)
            switch try await credentials.issue(claim, copy, isTrial: isTrial) {
            case .noSignerYet: throw SignerUnavailable()
            case .noRoomYet: throw NoScratchSpace()
            case .made(let issued):
                package.contentCredentials = ContentCredentialsEvidence(status: .embedded, reason: nil)
                return (package, .signed(issued))
            case .noTimestampYet: package.contentCredentials.reason = StableWord(.noTimestampYet)
            case .notSignable(let reason):
                package.contentCredentials = ContentCredentialsEvidence(status: .unavailable, reason: reason)
            }
        }
        switch copy {
        case .photo(nil): return (package, .nothing)
        case .photo(let photo?):
            let stored = try await storage.storeDerived(photo.bytes, named: .publicCopy, of: capture, pixels: photo.pixels)
            return (package, .unsigned(stored, .publicCopy))
        case .video(let video):
            let stored = try await storage.storeDerived(video.sizeBytes, named: .publicVideo, of: capture) { try video.bytes($0) }
            return (package, .unsigned(stored, .publicVideo))
        }
    }
}
