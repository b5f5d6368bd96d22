import Blocking
import CaptureProtocol
import Foundation
import Logging
import MediaStore
import Metrics
import Models
import ObjectStorage
import ShareCard

/// Draws and stores the preview picture that is shown where a capture's link is shared. Drawing takes tens of milliseconds of CPU, so the
/// actor has its own thread.
actor ShareCardMaker {
    private let executor = BlockingExecutor(label: "share-cards")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private let renderer: ShareCardRenderer
    private let storage: any ObjectStore
    private let logger: Logger

    /// - Throws: ``ShareCardError`` if cards cannot be drawn on this machine, for example because a font is missing.
    init(storage: any ObjectStore, logger: Logger) throws {
        let renderer = ShareCardRenderer()
        _ = try renderer.render(ShareCardContent(subject: .photo, level: nil, capturedAt: .notShared, placeName: nil), photo: nil)
        self.renderer = renderer
        self.storage = storage
        self.logger = logger
    }

    /// - Parameter objects: the pictures made from the capture, by name; of a photo the small one, which covers the card's left part.
    /// - Returns: `nil` if no card could be drawn; the capture is completed without one.
    /// - Throws: ``RejectedMessage`` if the picture is missing or its digest differs; storage errors unchanged.
    func make(_ content: ShareCardContent, for capture: CaptureID, from objects: [MediaName: StoredMedia]) async throws -> StoredMedia? {
        let source = objects[.smallPicture] ?? objects[.poster]
        var photo: [UInt8]?
        if let source { photo = try await storage.accepted(source, missing: .pictureMissing) }
        let start = ContinuousClock.now
        let card: [UInt8]
        do {
            card = try renderer.render(content, photo: photo)
        } catch {
            logger.error("no share card", metadata: ["capture_id": "\(capture)", "error": "\(error)"])
            Counter(label: "rial_share_cards_failed_total").increment()
            return nil
        }
        Metrics.Timer(label: "rial_share_card_seconds").record(duration: start.duration(to: .now))
        return try await storage.storeDerived(card, named: .shareCard, of: capture)
    }
}

extension ShareCardContent {
    /// - Parameter mediaHash: of the original; shown in place of the photo for a hash-only capture.
    init(
        _ package: EvidencePackage, _ confidence: ConfidenceLevel, _ attestation: AttestationFindings, capturedAt: SharedTime,
        mediaHash: ContentDigest
    ) {
        self.init(
            subject: Subject(package, mediaHash: mediaHash), level: confidence,
            isDevelopment: attestation.isDevelopmentAttestation, capturedAt: capturedAt,
            placeName: package.metadata.locationCoarse, hasFalsePlace: package.metadata.location.isNotOnEarth,
            isSigned: package.coversMetadata)
    }
}

extension ShareCardContent.Subject {
    fileprivate init(_ package: EvidencePackage, mediaHash: ContentDigest) {
        guard package.mediaStored else {
            self = .hash(mediaHash)
            return
        }
        switch package.type {
        case .photo: self = .photo
        case .video: self = .video
        }
    }
}
