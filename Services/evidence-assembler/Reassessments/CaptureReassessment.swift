import CaptureProtocol
import Delivery
import Evidence
import Foundation
import Logging
import Metrics
import Models
import ObjectStorage
import ShareCard
import TransparencyLog

/// Assesses captures again that operators asked for and whose depth is measured by the present method (SPEC §14). Copies, pictures and
/// Content Credentials stay as they are; the earlier verdict stays as a statement.
struct CaptureReassessment: Sendable {
    static let batchSize = 20
    let captures: any ReassessmentRepository
    let storage: any ObjectStore
    let cards: ShareCardMaker
    let cities: CityNames
    var scratchFolder = FileManager.default.temporaryDirectory.path
    let logger: Logger

    /// The card with the new verdict could not be drawn: the earlier one must not stay beside it.
    private struct CardMissing: Error {}

    /// What cannot be read now is done in a later call, and does not block the others. Ends early at shutdown.
    func run() async throws {
        let due = try await captures.measured(limit: Self.batchSize)
        var limit = FailureLimit()
        for capture in due.shuffled() {
            guard !Task.isEnding else { return }
            do {
                try await assess(capture)
                limit.succeed()
            } catch let rejection as RejectedMessage {
                try await refuse(capture, rejection.reason, "\(rejection)")
            } catch let problem as BundleError {
                try await refuse(capture, .captureUnreadable, "\(problem)")
            } catch let error as CancellationError {
                throw error
            } catch {
                logger.warning("a capture is not assessed again yet", metadata: ["capture_id": "\(capture)", "error": "\(error)"])
                try limit.note(error)
            }
        }
    }

    private func assess(_ capture: CaptureID) async throws {
        guard let due = try await captures.find(capture) else { return }
        let (announcement, parts) = (due.gathered.announcement, due.gathered.parts)
        let original = try await Original(of: parts, in: storage, scratchFolder: scratchFolder)
        let statement = try await EvidenceAssembly.Statement(announcement, original, storage)
        try due.gathered.mustBeCaptured(at: statement.capturedAt)
        var (package, confidence) = EvidenceAssembly.assemble(
            attestation: parts.attestation, depth: parts.depth, statement: statement, receivedAt: announcement.receivedAt,
            completedAt: announcement.receivedAt, cities: cities)
        package.processing = due.package.processing
        // Signatures are appraised once, with what was known of the device then.
        for method in ["attestation", "hash_chain"] { package.algorithmVersions[method] = due.package.algorithmVersions[method] }
        let content = ShareCardContent(
            package, confidence, parts.attestation, capturedAt: statement.capturedAt, mediaHash: due.gathered.mediaHash)
        guard let card = try await cards.make(content, for: capture, from: parts.pictures) else { throw CardMissing() }
        let verdict = RenewedVerdict(package: package, confidence: confidence, card: card)
        guard let outcome = try await captures.settle(capture, verdict) else { return }
        count(outcome.rawValue)
        logger.info("capture assessed again", metadata: ["capture_id": "\(capture)", "outcome": "\(outcome.rawValue)"])
    }

    private func refuse(_ capture: CaptureID, _ reason: FailureReason, _ problem: String) async throws {
        logger.error("a capture cannot be assessed again", metadata: ["capture_id": "\(capture)", "problem": "\(problem)"])
        try await captures.refuse(capture, reason)
        count(reason.rawValue)
    }

    private func count(_ outcome: String) {
        Counter(label: "rial_reassessments_total", dimensions: [("outcome", outcome)]).increment()
    }
}

extension ContentCredentialsEvidence {
    /// What to say of Content Credentials when the verdict is another: a copy that is signed stays signed.
    /// - Parameter due: what would be due for the new verdict.
    func renewed(_ due: ContentCredentialsEvidence) -> ContentCredentialsEvidence {
        switch (status, due.status) {
        case (.embedded, _), (.pending, .pending), (.unavailable, .pending): self
        case (_, _): due
        }
    }
}
