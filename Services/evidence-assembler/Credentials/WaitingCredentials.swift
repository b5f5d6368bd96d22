import CaptureProtocol
import ContentCredentials
import Foundation
import Logging
import Metrics
import Models
import ObjectStorage
import Persistence

/// Makes the Content Credentials of captures that were complete before the time-stamp authority answered.
struct WaitingCredentials: Sendable {
    static let batchSize = 50
    let database: PostgresPool
    let storage: any ObjectStore
    let credentials: CredentialIssuer
    let logger: Logger

    /// Goes through those that wait until one shows that the authority is still away.
    func retry() async throws {
        let waiting = try await database.withConnection { try await CredentialRepository($0).waiting(limit: Self.batchSize) }
        Meter(label: "rial_credentials_waiting").set(waiting.count)
        var failures = 0
        // In any order: a few that cannot be read do not hold up the others for ever.
        for capture in waiting.shuffled() {
            do {
                guard try await make(capture) else { return }
            } catch let error as CancellationError {
                throw error
            } catch {
                logger.warning("waiting credentials not made", metadata: ["capture_id": "\(capture)", "error": "\(error)"])
                failures += 1
                guard failures < UnsignedCaptures.maximumFailures else { throw error }
            }
        }
    }

    /// Signs first and locks then: an authority may take half a minute, and what else concerns the capture shall not wait for it. Of two
    /// instances that sign one capture the first counts; what the other stored has no name and is swept.
    ///
    /// - Returns: false if there is still no time stamp, or no signer.
    private func make(_ capture: CaptureID) async throws -> Bool {
        let found = try await database.withConnection { connection in
            (
                waiting: try await CredentialRepository(connection).findWaiting(capture),
                parts: try EvidenceParts(try await EvidencePartRepository(connection).all(of: capture))
            )
        }
        guard let waiting = found.waiting, let parts = found.parts else { return true }
        let claim = CaptureClaim(
            captureID: capture, capturedAt: waiting.capturedAt, evidence: waiting.package, confidence: waiting.confidence)
        let issuing = try await issue(claim, parts)
        let settled: ContentCredentialsEvidence? = try await database.withTransaction { connection in
            let repository = CredentialRepository(connection)
            guard var package = try await repository.findWaiting(capture, isHeld: true)?.package else { return nil }
            switch issuing {
            case .noTimestampYet, .noSignerYet: return nil
            case .notSignable(let reason): package.contentCredentials = .init(status: .unavailable, reason: reason)
            case .made(let issued):
                try await repository.insert(capture, issued)
                try await MediaObjectRepository(connection).insert(issued.objects, of: capture)
                package.contentCredentials = .init(status: .embedded, reason: nil)
            }
            try await repository.save(capture, package)
            return package.contentCredentials
        }
        if let settled {
            logger.info(
                "waiting credentials settled", metadata: ["capture_id": "\(capture)", "status": "\(settled.status.rawValue)"])
        }
        switch issuing {
        case .noTimestampYet, .noSignerYet: return false
        case .notSignable, .made: return true
        }
    }

    /// A photo that is no more, or another, is never signed, and does not hold up the others.
    private func issue(_ claim: CaptureClaim, _ parts: EvidenceParts) async throws -> Issuing {
        do {
            let photo = try await OriginalPhoto(of: parts, in: storage)
            return try await credentials.issue(claim, photo: photo.publicCopy, isTrial: true)
        } catch let rejection as RejectedMessage {
            logger.error("a photo cannot be signed any more", metadata: ["capture_id": "\(claim.captureID)", "reason": "\(rejection)"])
            return .notSignable(reason: rejection.reason == .digestMismatch ? .digestMismatch : .pictureMissing)
        }
    }
}
