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

/// A stored signed copy of a capture. No row names it yet.
struct IssuedCredentials: Sendable {
    let manifestID: String
    let certificateSerial: String
    /// SHA-256 of the signing certificate's DER.
    let leafDigest: ContentDigest
    /// The certificate's organization, as shown to readers; `nil` if it has none.
    let issuer: String?
    let hasTimestamp: Bool
    let copy: StoredMedia
    let manifest: StoredMedia

    var objects: [MediaName: StoredMedia] { [.signedCopy: copy, .manifest: manifest] }
}

/// The result of an attempt to make Content Credentials.
enum Issuing: Sendable {
    case made(IssuedCredentials)
    /// The time-stamp authority does not respond; retry later.
    case noTimestampYet
    /// The signer is unavailable, or its certificate is not valid now; retry later.
    case noSignerYet
    /// There is no public copy, or the library cannot sign it: the capture is completed without credentials. The reason is recorded in the
    /// evidence.
    case notSignable(reason: CredentialsReason)
}

/// Makes the signed copies of photos.
protocol CredentialIssuing: Sendable {
    /// - Parameters:
    ///   - photo: the public copy, without location and serial numbers; `nil` if none could be made.
    ///   - isTrial: whether to try even while a circuit breaker is open. For captures that wait already.
    /// - Throws: storage errors unchanged.
    func issue(_ claim: CaptureClaim, photo: PublicCopy?, isTrial: Bool) async throws -> Issuing
}

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
    private let signerCircuit = CircuitBreaker(dependency: "signer", pause: .seconds(5), longestPause: .seconds(20))
    private let timestampCircuit = CircuitBreaker(dependency: "timestamp_authority", pause: .seconds(5), longestPause: .seconds(60))

    init(writer: CredentialWriter, certificate: SigningCertificate, storage: any ObjectStore, logger: Logger) {
        self.writer = writer
        self.certificate = certificate
        self.storage = storage
        self.logger = logger
    }

    nonisolated func issue(_ claim: CaptureClaim, photo: PublicCopy?, isTrial: Bool) async throws -> Issuing {
        guard let photo else { return .notSignable(reason: .photoUnreadable) }
        // Check before queueing for this actor's thread, which another capture's trial may block.
        if signerCircuit.state != .closed, !isTrial { return .noSignerYet }
        if timestampCircuit.state != .closed, !isTrial { return .noTimestampYet }
        return try await sign(claim, photo: photo, isTrial: isTrial)
    }

    private func sign(_ claim: CaptureClaim, photo: PublicCopy, isTrial: Bool) async throws -> Issuing {
        guard signerCircuit.mayPass(isTrial: isTrial) else { return .noSignerYet }
        // Abandon trials that ended neither in success nor in failure.
        defer { if isTrial { signerCircuit.abandon() } }
        guard timestampCircuit.mayPass(isTrial: isTrial) else { return .noTimestampYet }
        defer { if isTrial { timestampCircuit.abandon() } }
        do {
            try certificate.check(at: Date())
        } catch {
            return noSigner("\(error)")
        }
        let start = ContinuousClock.now
        let signed: SignedCopy
        do {
            signed = try writer.sign(claim, photo: photo.bytes)
            signerCircuit.succeed()
            timestampCircuit.succeed()
        } catch {
            switch error {
            case .timestampUnavailable(let problem):
                Counter(label: "rial_timestamps_failed_total").increment()
                logger.warning("no time stamp", metadata: ["problem": "\(problem)"])
                // The time stamp is requested after signing, so the signer works.
                signerCircuit.succeed()
                timestampCircuit.fail()
                return .noTimestampYet
            case .signer(let failure): return noSigner("\(failure)")
            case .refused(let reason): return refused(reason)
            }
        }
        Metrics.Timer(label: "rial_signing_seconds").record(duration: start.duration(to: .now))
        // Later the copy is recognised as ours by this identity, so a copy without one is not published.
        guard let identity = StoreIdentity(signed.manifest), identity.label == signed.manifestID, identity.binding != nil else {
            return refused("its manifest store cannot be read again")
        }
        async let copy = storage.storeDerived(signed.bytes, named: .signedCopy, of: claim.captureID, pixels: photo.pixels)
        let manifest = try await storage.storeDerived(
            signed.manifest, named: .manifest, of: claim.captureID)
        return .made(
            IssuedCredentials(
                manifestID: signed.manifestID, certificateSerial: certificate.serialNumber, leafDigest: identity.leafDigest,
                issuer: certificate.organization, hasTimestamp: signed.hasTimestamp, copy: try await copy, manifest: manifest))
    }
}

extension CredentialIssuer {
    private func noSigner(_ problem: String) -> Issuing {
        logger.warning("the signer is away", metadata: ["problem": "\(problem)"])
        signerCircuit.fail()
        return .noSignerYet
    }

    private func refused(_ reason: String) -> Issuing {
        logger.error("a photo could not be signed", metadata: ["reason": "\(reason)"])
        Counter(label: "rial_signings_refused_total").increment()
        return .notSignable(reason: .photoNotSignable)
    }
}
