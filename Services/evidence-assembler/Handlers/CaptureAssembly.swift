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
import Persistence
import ShareCard

/// Gathers the parts of a capture and completes it once, whatever the order and number of deliveries.
struct CaptureAssembly: Sendable {
    let database: PostgresPool
    let storage: any ObjectStore
    let outbox: Outbox
    let inbox: Inbox
    let credentials: CredentialIssuer
    let cards: ShareCardMaker

    enum Found: Sendable {
        /// Parts are missing, the capture is final, or this event was handled before.
        case answered
        /// All parts are there: the event is accepted only with the package.
        case complete(EvidenceParts)
    }

    /// Takes over what the service of one part has stored. Events of one capture wait for each other on its row, so that exactly the last
    /// one sees all parts. What an event says of its part is not looked at (SPEC §1).
    func take(_ part: EvidencePart, of capture: CaptureID, _ context: MessageContext) async throws -> Found {
        try await database.withTransaction { connection in
            let captures = CaptureRepository(connection)
            guard let status = try await captures.lock(capture) else {
                throw RejectedMessage(.captureUnknown)
            }
            let parts = try await EvidencePartRepository(connection).take(part, of: capture, isFinal: status == .complete)
            FailPoint.reached("evidence-assembler.part.stored")
            if status != .complete, let complete = try EvidenceParts(parts) { return .complete(complete) }
            guard try await inbox.accept(context.eventID, consumer: context.topic, on: connection) else { return .answered }
            if status != .complete, let failure = parts.compactMap(\.reason).first {
                try await announceFailure(capture, reason: failure, on: connection)
            }
            return .answered
        }
    }

    /// The signer is away: the capture waits for it, and nothing else shall wait for the capture.
    struct SignerAway: Error {}

    /// Accepts the event of a capture that waits for the signer, so that the records behind it go on. ``UnsignedCaptures`` completes it.
    /// One that had failed is in processing again: nothing is wrong with it any more.
    func park(_ capture: CaptureID, _ context: MessageContext) async throws {
        try await database.withTransaction { connection in
            try await CaptureRepository(connection).resume(capture)
            _ = try await inbox.accept(context.eventID, consumer: context.topic, on: connection)
        }
        context.logger.info("the capture waits for the signer")
    }

    /// Assembles the package and completes the capture, with its objects' names and the announcement, in one transaction.
    /// - Parameter event: what told of it; `nil` for a capture that waited.
    /// - Throws: ``SignerAway`` if it must be signed and cannot be now.
    func complete(_ capture: CaptureID, _ parts: EvidenceParts, event: MessageContext?, _ logger: Logger) async throws {
        let start = ContinuousClock.now
        guard let record = try await database.withConnection({ try await CaptureRepository($0).find(capture) }) else {
            throw RejectedMessage(.captureUnknown)
        }
        let metadata: CaptureMetadata
        do {
            metadata = try CaptureMetadata.parse(record.announcement.metadata)
        } catch {
            throw RejectedMessage(.metadataUnreadable, detail: "\(error)")
        }
        let photo = try await OriginalPhoto(of: parts, in: storage)
        FailPoint.reached("evidence-assembler.exif")
        let (assembled, confidence) = EvidenceAssembly.assemble(
            attestation: parts.attestation, depth: parts.depth, exif: photo.exif, metadata: metadata,
            receivedAt: record.announcement.receivedAt, completedAt: Date(), kind: record.announcement.content.kind,
            analysisSource: .server)
        let content = ShareCardContent(
            assembled, confidence, parts.attestation, capturedAt: metadata.capturedAt, mediaHash: record.mediaHash)
        async let card = cards.make(content, for: capture, from: parts.pictures)
        let (package, published) = try await publish(
            photo.publicCopy, of: capture, assembled, confidence, capturedAt: metadata.capturedAt, isTrial: event == nil)
        var objects = parts.objects
        objects[.shareCard] = try await card
        objects.merge(published.objects) { $1 }
        FailPoint.reached("evidence-assembler.signed")
        try await database.withTransaction { [objects] connection in
            if let event, try await !inbox.accept(event.eventID, consumer: event.topic, on: connection) { return }
            guard try await CaptureRepository(connection).complete(capture, package, confidence) else { return }
            FailPoint.reached("evidence-assembler.completed")
            if case .signed(let issued) = published { try await CredentialRepository(connection).insert(capture, issued) }
            try await MediaObjectRepository(connection).insert(objects, of: capture)
            try await outbox.append(
                EvidenceAssembled(captureID: capture, status: .complete, confidenceLevel: confidence, failure: nil), on: connection)
            FailPoint.reached("evidence-assembler.announced")
            Counter(label: "rial_captures_completed_total", dimensions: [("confidence", confidence.rawValue)]).increment()
            Metrics.Timer(label: "rial_capture_completion_seconds").record(
                duration: .seconds(min(Date().timeIntervalSince(record.announcement.receivedAt), 1e6)))
        }
        FailPoint.reached("evidence-assembler.committed")
        logger.info(
            "capture complete",
            metadata: [
                "confidence": "\(confidence.rawValue)", "assembly_seconds": "\(ContinuousClock.now - start)",
            ])
    }

    /// The photo as everyone gets it.
    private enum Published {
        case signed(IssuedCredentials)
        case unsigned(StoredMedia)
        /// No reader makes sense of it.
        case nothing

        var objects: [MediaName: StoredMedia] {
            switch self {
            case .signed(let issued): issued.objects
            case .unsigned(let copy): [.publicCopy: copy]
            case .nothing: [:]
            }
        }
    }

    /// Signs the public copy where Content Credentials are due, stores it without where there are none, and writes into the package what
    /// became of them.
    private func publish(
        _ photo: PublicCopy?, of capture: CaptureID, _ assembled: EvidencePackage, _ confidence: ConfidenceLevel, capturedAt: Date,
        isTrial: Bool
    ) async throws -> (package: EvidencePackage, published: Published) {
        var package = assembled
        if package.contentCredentials.status == .pending {
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

    /// A record of this capture was given up here.
    func fail(_ capture: CaptureID, reason: FailureReason, on connection: PostgresConnection) async throws {
        try await announceFailure(capture, reason: StableWord(reason), on: connection)
    }

    private func announceFailure(_ capture: CaptureID, reason: StableWord<FailureReason>, on connection: PostgresConnection) async throws {
        guard try await CaptureRepository(connection).fail(capture, reason: reason.text) else { return }
        try await outbox.append(
            EvidenceAssembled(captureID: capture, status: .failed, confidenceLevel: nil, failure: reason), on: connection)
        Counter(label: "rial_captures_failed_total", dimensions: [("reason", reason.text)]).increment()
    }
}
