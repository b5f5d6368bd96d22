import CaptureProtocol
import Foundation
import Logging
import ManifestStore
import Metrics
import Models
import ObjectStorage
import Signing

/// Computes the digests by which signed copies are recognised as ours (SPEC §7), for copies of versions that did not record them.
///
/// The digests come from the stored manifest store. Its digest must match `media_objects`, its label and certificate the recorded ones. It
/// may be interrupted at any time and run by several instances at once: digests are written only once.
struct CredentialDigests: Sendable {
    static let batchSize = 20
    let credentials: any CredentialRepository
    let storage: any ObjectStore
    let logger: Logger

    /// Fills in all missing digests in one pass, in batches; rows that cannot be filled do not block the others.
    /// - Throws: database and storage errors, which end the pass.
    func fill() async throws {
        let backfill = Backfill(batchSize: Self.batchSize) { last in
            try await measure()
            return try await credentials.withoutDigests(after: last?.capture, limit: Self.batchSize)
        } fill: {
            try await fill($0)
        } log: { row, error in
            logger.warning("a manifest could not be read", metadata: ["capture_id": "\(row.capture)", "error": "\(error)"])
        }
        try await backfill.run()
        try await measure()
    }

    /// Reports how many are missing, including those that cannot be filled.
    private func measure() async throws {
        Meter(label: "rial_credential_digests_missing").set(try await credentials.countWithoutDigests())
    }

    private func fill(_ row: UndigestedCredentials) async throws {
        do {
            let identity = try await identity(of: row)
            try await credentials.save(row.capture, leaf: identity.leafDigest, manifest: identity.digest)
        } catch let failure as Failure {
            Counter(label: "rial_credential_digests_failed_total", dimensions: [("reason", failure.rawValue)]).increment()
            logger.error(
                "a signed copy cannot be known by its manifest",
                metadata: ["capture_id": "\(row.capture)", "reason": "\(failure.rawValue)"])
        }
    }

    /// Why a row has no digests: its copy is then recognised by the file's digest only.
    private enum Failure: String, Error {
        case objectMissing = "object_missing"
        case digestMismatch = "digest_mismatch"
        case unreadable
        /// A valid store, but not the one recorded in the row.
        case notRecorded = "not_recorded"
    }

    private func identity(of row: UndigestedCredentials) async throws -> StoreIdentity {
        guard let object = row.manifest else { throw Failure.objectMissing }
        guard object.sizeBytes <= EmbeddedStore.maximumBytes else { throw Failure.unreadable }
        let bytes: [UInt8]
        do {
            bytes = try await storage.read(object)
        } catch let error as ObjectStorageError {
            switch error.code {
            case .notFound: throw Failure.objectMissing
            case .digestMismatch, .tooLarge: throw Failure.digestMismatch
            default: throw error
            }
        }
        guard let identity = StoreIdentity(bytes) else { throw Failure.unreadable }
        guard identity.label == row.manifestID, SigningCertificate.serialNumber(ofCertificate: identity.leaf) == row.certificateSerial
        else {
            throw Failure.notRecorded
        }
        return identity
    }
}
