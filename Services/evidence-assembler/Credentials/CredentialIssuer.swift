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

    /// ``MediaName/signedCopy`` or ``MediaName/signedVideo``.
    var name: MediaName = .signedCopy

    var objects: [MediaName: StoredMedia] { [name: copy, .manifest: manifest] }
}

/// The result of an attempt to make Content Credentials.
enum Issuing: Sendable {
    case made(IssuedCredentials)
    /// The time-stamp authority does not respond; retry later.
    case noTimestampYet
    /// The signer is unavailable, its certificate is not valid now, or there is no room for the copy; retry later.
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

    /// The same for a video.
    func issue(_ claim: CaptureClaim, video: PublicVideo, isTrial: Bool) async throws -> Issuing
}

/// Signs photos and videos in threads of their own, so that photos do not wait behind videos, and one video at a time: the library holds about
/// its size in memory.
struct CredentialIssuers: CredentialIssuing {
    let photos: CredentialIssuer
    let videos: CredentialIssuer

    func issue(_ claim: CaptureClaim, photo: PublicCopy?, isTrial: Bool) async throws -> Issuing {
        try await photos.issue(claim, photo: photo, isTrial: isTrial)
    }

    func issue(_ claim: CaptureClaim, video: PublicVideo, isTrial: Bool) async throws -> Issuing {
        try await videos.issue(claim, video: video, isTrial: isTrial)
    }
}

/// The circuit breakers of what signing depends on. Issuers of one signer share them: what one finds out spares the others, and each
/// dependency has one state.
struct SigningCircuits: Sendable {
    let signer: CircuitBreaker
    let timestamps: CircuitBreaker

    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        signer = CircuitBreaker(dependency: "signer", pause: .seconds(5), longestPause: .seconds(20), now: now)
        timestamps = CircuitBreaker(dependency: "timestamp_authority", pause: .seconds(5), longestPause: .seconds(60), now: now)
    }
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
        return try await issue(claim, .photo(photo), isTrial: isTrial)
    }

    nonisolated func issue(_ claim: CaptureClaim, video: PublicVideo, isTrial: Bool) async throws -> Issuing {
        try await issue(claim, .video(video), isTrial: isTrial)
    }

    private nonisolated func issue(_ claim: CaptureClaim, _ copy: Signable, isTrial: Bool) async throws -> Issuing {
        // Check before queueing for this actor's thread, which another capture's trial may block.
        if circuits.signer.state != .closed, !isTrial { return .noSignerYet }
        if circuits.timestamps.state != .closed, !isTrial { return .noTimestampYet }
        return try await sign(claim, copy, isTrial: isTrial)
    }

    private func sign(_ claim: CaptureClaim, _ copy: Signable, isTrial: Bool) async throws -> Issuing {
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
        let signed: Signed
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
                return .noSignerYet
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

/// What is signed.
private enum Signable: Sendable {
    case photo(PublicCopy)
    case video(PublicVideo)

    var name: MediaName {
        switch self {
        case .photo: .signedCopy
        case .video: .signedVideo
        }
    }

    private var sizeBytes: Int64 {
        switch self {
        case .photo(let photo): Int64(photo.bytes.count)
        case .video(let video): video.sizeBytes
        }
    }

    /// Blocks.
    func sign(_ claim: CaptureClaim, by writer: CredentialWriter, in scratchFolder: String) throws(CredentialError) -> Signed {
        do throws(CredentialError) {
            return try attempt(claim, by: writer, in: scratchFolder)
        } catch {
            guard case .refused = error, CredentialWriter.isLaidOnDisk(sizeBytes) else { throw error }
            // The library may have had no room for its copy.
            if let problem = diskProblem(scratchFolder) { throw .scratch("the library's copy: \(problem)") }
            throw error
        }
    }

    private func diskProblem(_ folder: String) -> NamelessFile.Failure? {
        do throws(NamelessFile.Failure) {
            try NamelessFile.probe(folder, sizeBytes: sizeBytes)
            return nil
        } catch {
            return error
        }
    }

    private func attempt(_ claim: CaptureClaim, by writer: CredentialWriter, in scratchFolder: String) throws(CredentialError) -> Signed {
        switch self {
        case .photo(let photo):
            let signed = try writer.sign(claim, photo: photo.bytes)
            return Signed(
                manifestID: signed.manifestID, manifest: signed.manifest, hasTimestamp: signed.hasTimestamp,
                copy: .memory(signed.bytes, photo.pixels))
        case .video(let video):
            let file: NamelessFile
            do {
                file = try NamelessFile(in: scratchFolder)
            } catch {
                throw .scratch("the copy: \(error)")
            }
            let signed = try writer.sign(
                claim, videoLength: video.sizeBytes,
                read: { offset, target in
                    guard let bytes = try? video.bytes(offset..<offset + Int64(target.count)) else { return -1 }
                    target.copyBytes(from: bytes)
                    return bytes.count
                }, into: file.descriptor)
            return Signed(
                manifestID: signed.manifestID, manifest: signed.manifest, hasTimestamp: signed.hasTimestamp, copy: .file(file))
        }
    }
}

/// A signed copy that is not stored yet.
private struct Signed: Sendable {
    enum Copy {
        case memory([UInt8], PixelSize?)
        case file(NamelessFile)
    }

    let manifestID: String
    let manifest: [UInt8]
    let hasTimestamp: Bool
    let copy: Copy

    func store(in storage: any ObjectStore, of capture: CaptureID) async throws -> StoredMedia {
        switch copy {
        case .memory(let bytes, let pixels):
            try await storage.storeDerived(bytes, named: .signedCopy, of: capture, pixels: pixels)
        case .file(let file):
            try await storage.storeDerived(try file.size(), named: .signedVideo, of: capture) { try file.bytes($0) }
        }
    }
}

extension CredentialIssuer {
    private func noSigner(_ problem: String) -> Issuing {
        logger.warning("the signer is away", metadata: ["problem": "\(problem)"])
        circuits.signer.fail()
        return .noSignerYet
    }

    private func refused(_ copy: Signable, _ reason: String) -> Issuing {
        logger.error("a copy could not be signed", metadata: ["copy": "\(copy.name.rawValue)", "reason": "\(reason)"])
        Counter(label: "rial_signings_refused_total").increment()
        return .notSignable(reason: .photoNotSignable)
    }
}
