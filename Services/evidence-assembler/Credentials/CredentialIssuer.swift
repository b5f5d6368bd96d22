import Blocking
import CaptureProtocol
import ContentCredentials
import Foundation
import Logging
import ManifestStore
import MediaStore
import Metrics
import Models
import ObjectStorage
import ServiceRuntime
import Signing

/// Signs with the C2PA library. The signer and the library block, so the actor has its own thread.
///
/// A time-stamp authority that hangs costs one capture the library's timeout of thirty seconds, not every capture: the circuit breaker then
/// opens until a trial succeeds. Only captures that wait already make trials, never one that could be completed now.
actor CredentialIssuer: CredentialIssuing {
    private let executor = BlockingExecutor(label: "credential-issuer")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private let writer: CredentialWriter
    private let certificate: SigningCertificate
    private let storage: any ObjectStore
    private let logger: Logger
    private let scratchFolder: String
    private let circuits: SigningCircuits

    /// - Parameter scratchFolder: where signed videos lie, without a name, until they are stored. The library's own copies lie there too.
    init(
        writer: CredentialWriter, certificate: SigningCertificate, storage: any ObjectStore,
        scratchFolder: String = FileManager.default.temporaryDirectory.path, circuits: SigningCircuits, logger: Logger
    ) {
        self.circuits = circuits
        self.scratchFolder = scratchFolder
        self.writer = writer
        self.certificate = certificate
        self.storage = storage
        self.logger = logger
    }

    nonisolated func issue(_ claim: CaptureClaim, photo: PublicCopy?, isTrial: Bool) async throws -> Issuing {
        guard let photo else { return .notSignable(reason: .photoUnreadable) }
        return try await issue(claim, signing: .photo(photo), isTrial: isTrial)
    }

    nonisolated func issue(_ claim: CaptureClaim, video: PublicVideo, isTrial: Bool) async throws -> Issuing {
        try await issue(claim, signing: .video(video), isTrial: isTrial)
    }

    private nonisolated func issue(_ claim: CaptureClaim, signing copy: SignableCopy, isTrial: Bool) async throws -> Issuing {
        // Check before queueing for this actor's thread, which another capture's trial may block.
        if circuits.signer.state != .closed, !isTrial { return .noSignerYet }
        if circuits.timestamps.state != .closed, !isTrial { return .noTimestampYet }
        return try await sign(claim, copy, isTrial: isTrial)
    }

    private func sign(_ claim: CaptureClaim, _ copy: SignableCopy, isTrial: Bool) async throws -> Issuing {
        guard circuits.signer.mayPass(isTrial: isTrial) else { return .noSignerYet }
        // Abandon trials that ended neither in success nor in failure.
        defer { if isTrial { circuits.signer.abandon() } }
        guard circuits.timestamps.mayPass(isTrial: isTrial) else { return .noTimestampYet }
        defer { if isTrial { circuits.timestamps.abandon() } }
        do {
            try certificate.check(at: Date())
        } catch {
            return noSigner("\(error)")
        }
        let start = ContinuousClock.now
        let signed: UnstoredCopy
        do {
            signed = try copy.sign(claim, by: writer, in: scratchFolder)
            circuits.signer.succeed()
            circuits.timestamps.succeed()
        } catch {
            switch error {
            case .timestampUnavailable(let problem):
                Counter(label: "rial_timestamps_failed_total").increment()
                logger.warning("no time stamp", metadata: ["problem": "\(problem)"])
                // The time stamp is requested after signing, so the signer works.
                circuits.signer.succeed()
                circuits.timestamps.fail()
                return .noTimestampYet
            case .signer(let failure): return noSigner("\(failure)")
            case .refused(let reason): return refused(copy, reason)
            case .scratch(let problem):
                // Says nothing about the capture, nor about the signer.
                logger.warning("the disk of signed copies fails", metadata: ["problem": "\(problem)"])
                return .noRoomYet
            }
        }
        Metrics.Timer(label: "rial_signing_seconds").record(duration: start.duration(to: .now))
        // Later the copy is recognised as ours by this identity, so a copy without one is not published.
        guard let identity = StoreIdentity(signed.manifest), identity.label == signed.manifestID,
            identity.binding != nil || identity.boxBinding != nil
        else {
            return refused(copy, "its manifest store cannot be read again")
        }
        async let stored = signed.store(in: storage, of: claim.captureID)
        let manifest = try await storage.storeDerived(
            signed.manifest, named: .manifest, of: claim.captureID)
        return .made(
            IssuedCredentials(
                manifestID: signed.manifestID, certificateSerial: certificate.serialNumber, leafDigest: identity.leafDigest,
                issuer: certificate.organization, hasTimestamp: signed.hasTimestamp, copy: try await stored, manifest: manifest,
                name: copy.name))
    }
}

extension CredentialIssuer {
    private func noSigner(_ problem: String) -> Issuing {
        logger.warning("the signer is unavailable", metadata: ["problem": "\(problem)"])
        circuits.signer.fail()
        return .noSignerYet
    }

    private func refused(_ copy: SignableCopy, _ reason: String) -> Issuing {
        logger.error("a copy could not be signed", metadata: ["copy": "\(copy.name.rawValue)", "reason": "\(reason)"])
        Counter(label: "rial_signings_refused_total").increment()
        return .notSignable(reason: copy.refusal)
    }
}
