import CaptureProtocol
import ContentCredentials
import Delivery
import Foundation
import Logging
import Metrics
import Models
import ObjectStorage

/// Makes the Content Credentials of captures that were completed while the time-stamp authority was unavailable, or while their device was
/// revoked.
struct WaitingCredentials: Sendable {
    static let batchSize = 50
    let captures: any CredentialRepository
    let storage: any ObjectStore
    let credentials: any CredentialIssuing
    let ledger: any TaskLedger
    var scratchFolder = FileManager.default.temporaryDirectory.path
    let logger: Logger

    /// Signs the waiting captures, videos last; stops at the first that shows that the authority is still unavailable, and at the first
    /// video for which there is no room.
    func retry() async throws {
        let waiting = try await captures.waiting(limit: Self.batchSize)
        Meter(label: "rial_credentials_waiting").set(waiting.all.count)
        try await waiting.inTurn(
            ledger, logger, "waiting credentials not made", isNoted: { _ in true },
            giveUp: { try await settle($0, as: .photoNotSignable) }, attempt: make)
    }

    /// Signs before it locks: an authority may take half a minute, and other work on the capture must not wait for it. If two instances
    /// sign the same capture, the first wins; the other's objects are orphaned and swept, as are those of a capture that got another
    /// verdict meanwhile, which is signed anew by the next run.
    ///
    /// - Returns: false if there is still no time stamp, or no signer.
    /// - Throws: ``NoScratchSpace`` or what the disk throws if it takes room that is not there; storage and database errors.
    private func make(_ capture: CaptureID) async throws -> Bool {
        guard let waiting = try await captures.find(capture) else { return true }
        guard waiting.announcement != nil else {
            try await settle(capture, as: .photoNotSignable)
            return true
        }
        let claim = CaptureClaim(
            captureID: capture, capturedAt: waiting.capturedAt, evidence: waiting.package, confidence: waiting.confidence)
        let outcome: Result<IssuedCredentials, NotSignable>
        switch try await issue(claim, waiting.parts, waiting.capturedAt) {
        case .noTimestampYet, .noSignerYet: return false
        case .noRoomYet: throw NoScratchSpace()
        case .notSignable(let reason): outcome = .failure(NotSignable(reason: reason))
        case .made(let issued): outcome = .success(issued)
        }
        if let settled = try await captures.settle(capture, waiting, outcome) {
            logger.info(
                "waiting credentials settled", metadata: ["capture_id": "\(capture)", "status": "\(settled.status.rawValue)"])
        }
        return true
    }

    /// It cannot be signed, or three processes crashed while they signed it.
    private func settle(_ capture: CaptureID, as reason: CredentialsReason) async throws {
        logger.error("waiting credentials are given up", metadata: ["capture_id": "\(capture)"])
        guard let waiting = try await captures.find(capture) else { return }
        _ = try await captures.settle(capture, waiting, .failure(NotSignable(reason: reason)))
    }

    /// A photo that is missing or whose digest differs is never signed, and does not block the others.
    private func issue(_ claim: CaptureClaim, _ parts: EvidenceParts, _ capturedAt: Date?) async throws -> Issuing {
        do {
            let original = try await Original(of: parts, in: storage, scratchFolder: scratchFolder)
            return try await credentials.issue(claim, original.publicCopy(startedAt: capturedAt), isTrial: true)
        } catch let rejection as RejectedMessage {
            logger.error("a capture cannot be signed any more", metadata: ["capture_id": "\(claim.captureID)", "reason": "\(rejection)"])
            return .notSignable(reason: rejection.reason == .digestMismatch ? .digestMismatch : .pictureMissing)
        }
    }
}
