import CaptureProtocol
import Models
import Foundation
import Logging
import ManifestStore
import Metrics
import ObjectStorage
import Signing

/// Computes the digests by which copies are known as ours (SPEC §7), for those that were signed before the digests were kept.
///
/// Each row by itself, from the stored manifest store, whose bytes must be those that `media_objects` names and whose label and certificate
/// those that were recorded. It may be interrupted at any moment and run by several instances at once: a row that has its digests is never
/// written again.
struct CredentialDigests: Sendable {
    static let batchSize = 20
    let credentials: any CredentialRepository
    let storage: any ObjectStore
    let logger: Logger

    /// Goes once through all that lack their digests, in batches; rows that cannot be filled do not hold up the others.
    /// - Throws: database and storage errors, with which the turn ends.
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

    /// How many are left, also those that cannot be filled.
    private func measure() async throws {
        Meter(label: "rial_credential_digests_missing").set(try await credentials.countWithoutDigests())
    }

    private func fill(_ row: UndigestedCredentials) async throws {
        do {
            let identity = try await identity(of: row)
            try await credentials.save(row.capture, leaf: identity.leafDigest, manifest: identity.digest)
        } catch let flaw as Flaw {
            Counter(label: "rial_credential_digests_failed_total", dimensions: [("reason", flaw.rawValue)]).increment()
            logger.error(
                "a signed copy cannot be known by its manifest", metadata: ["capture_id": "\(row.capture)", "reason": "\(flaw.rawValue)"])
        }
    }

    /// Why a row stays without digests: its copy is known by its file's digest only.
    private enum Flaw: String, Error {
        case objectMissing = "object_missing"
        case digestMismatch = "digest_mismatch"
        case unreadable
        /// It is a sound store, but not the one that the row is about.
        case notRecorded = "not_recorded"
    }

    private func identity(of row: UndigestedCredentials) async throws -> StoreIdentity {
        guard let object = row.manifest else { throw Flaw.objectMissing }
        guard object.sizeBytes <= EmbeddedStore.maximumBytes else { throw Flaw.unreadable }
        let bytes: [UInt8]
        do {
            bytes = try await storage.read(object)
        } catch let error as ObjectStorageError {
            switch error.code {
            case .notFound: throw Flaw.objectMissing
            case .digestMismatch, .tooLarge: throw Flaw.digestMismatch
            default: throw error
            }
        }
        guard let identity = StoreIdentity(bytes) else { throw Flaw.unreadable }
        guard identity.label == row.manifestID, SigningCertificate.serialNumber(ofCertificate: identity.leaf) == row.certificateSerial
        else {
            throw Flaw.notRecorded
        }
        return identity
    }
}
