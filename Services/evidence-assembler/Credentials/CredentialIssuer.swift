import Blocking
import ContentCredentials
import Foundation
import Logging
import Metrics
import Models
import ObjectStorage
import Pipeline
import Signing

/// The signed copy of a capture as it lies in the store, not named by any row yet.
struct IssuedCredentials: Sendable {
    let manifestID: String
    let certificateSerial: String
    /// Who the certificate is for, as readers show it.
    let issuer: String?
    let hasTimestamp: Bool
    let copy: StoredMedia
    let manifest: StoredMedia
}

/// What became of an attempt to make Content Credentials.
enum Issuing: Sendable {
    case made(IssuedCredentials)
    /// The time-stamp authority does not answer; to be tried again.
    case noTimestampYet
    /// There is no public copy, or the library takes it for no photo: the capture goes on without. The reason is for the evidence.
    case notSignable(reason: String)
}

/// Makes the signed copy of a photo. The signer and the library block, so that the actor has a thread of its own.
actor CredentialIssuer {
    private let executor = BlockingExecutor(label: "credential-issuer")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private let writer: CredentialWriter
    private let certificate: SigningCertificate
    private let storage: S3Client
    private let logger: Logger

    init(writer: CredentialWriter, certificate: SigningCertificate, storage: S3Client, logger: Logger) {
        self.writer = writer
        self.certificate = certificate
        self.storage = storage
        self.logger = logger
    }

    /// The public copy's bytes, as they were when it was made.
    /// - Throws: ``RejectedMessage`` if they are no more or others; storage errors as they are.
    nonisolated func read(_ photo: StoredMedia?) async throws -> [UInt8]? {
        guard let photo else { return nil }
        return try await storage.accepted(photo, missing: "picture_missing")
    }

    /// - Parameter photo: the public copy's bytes, from ``read(_:)``; it holds neither place nor serial numbers.
    /// - Throws: ``DependencyUnavailable`` while the signer is away or its certificate does not hold; storage errors as they are.
    func issue(_ claim: CaptureClaim, photo: [UInt8]?) async throws -> Issuing {
        guard let photo else { return .notSignable(reason: "photo_unreadable") }
        do {
            try certificate.check(at: Date())
        } catch {
            throw DependencyUnavailable("signer", "\(error)")
        }
        let source = try ScratchFile(holding: photo)
        let destination = try ScratchFile()
        let start = ContinuousClock.now
        let signed: SignedCopy
        do {
            signed = try writer.sign(claim, source: source.descriptor, destination: destination.descriptor)
        } catch {
            switch error {
            case .timestampUnavailable:
                Counter(label: "rial_timestamps_failed_total").increment()
                return .noTimestampYet
            case .signer(let failure): throw DependencyUnavailable("signer", "\(failure)")
            case .refused(let reason):
                logger.error("the C2PA library refused a photo", metadata: ["reason": "\(reason)"])
                Counter(label: "rial_signings_refused_total").increment()
                return .notSignable(reason: "photo_not_signable")
            }
        }
        Metrics.Timer(label: "rial_signing_seconds").record(duration: start.duration(to: .now))
        async let copy = storage.storeDerived(
            try destination.bytes(), named: "c2pa.jpg", contentType: "image/jpeg", of: claim.captureID)
        let manifest = try await storage.storeDerived(
            signed.manifest, named: "manifest.c2pa", contentType: "application/c2pa", of: claim.captureID)
        return .made(
            IssuedCredentials(
                manifestID: signed.manifestID, certificateSerial: certificate.serialNumber,
                issuer: certificate.organization, hasTimestamp: signed.hasTimestamp, copy: try await copy, manifest: manifest))
    }
}

/// A file without a name, gone when it is let go.
private final class ScratchFile {
    let descriptor: Int32

    init() throws {
        var template = Array((FileManager.default.temporaryDirectory.path + "/rial-XXXXXX").utf8CString)
        descriptor = template.withUnsafeMutableBufferPointer { $0.baseAddress.map { mkstemp($0) } ?? -1 }
        guard descriptor >= 0 else { throw DependencyUnavailable("disk", String(cString: strerror(errno))) }
        template.withUnsafeBufferPointer { if let name = $0.baseAddress { unlink(name) } }
    }

    convenience init(holding bytes: [UInt8]) throws {
        try self.init()
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw DependencyUnavailable("disk", String(cString: strerror(errno))) }
            rest = rest.dropFirst(count)
        }
    }

    deinit { close(descriptor) }

    func bytes() throws -> [UInt8] {
        let size = Int(lseek(descriptor, 0, SEEK_END))
        var position = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: max(size, 0)) { buffer, count in
            while position < size {
                let read = pread(descriptor, buffer.baseAddress?.advanced(by: position), size - position, off_t(position))
                if read < 0, errno == EINTR { continue }
                guard read > 0 else { break }
                position += read
            }
            count = position
        }
        guard size > 0, bytes.count == size else { throw DependencyUnavailable("disk", "a scratch file was cut short") }
        return bytes
    }
}
