import CaptureProtocol
import Models
import Foundation
import Logging
import ManifestStore
import Metrics
import ObjectStorage
import Persistence
import ServiceLifecycle
import Signing

/// Computes the digests by which copies are known as ours (SPEC §7), for those that were signed before the digests were kept.
///
/// Each row by itself, from the stored manifest store, whose bytes must be those that `media_objects` names and whose label and certificate
/// those that were recorded. It may be interrupted at any moment and run by several instances at once: a row that has its digests is never
/// written again.
struct CredentialDigests: Sendable {
    static let batchSize = 20
    let database: PostgresPool
    let storage: any ObjectStore
    let logger: Logger

    /// Goes once through all that lack their digests, in batches; rows that cannot be filled do not hold up the others.
    /// - Throws: database and storage errors, with which the turn ends.
    func fill() async throws {
        var failures = 0
        var last = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        while true {
            try await measure()
            let batch = try await database.withConnection { [last] in
                try await CredentialRepository($0).withoutDigests(after: last, limit: Self.batchSize)
            }
            for row in batch {
                guard !Task.isCancelled, !Task.isShuttingDownGracefully else { return }
                last = row.capture.uuid
                do {
                    try await fill(row)
                    failures = 0
                } catch let error as ObjectStorageError {
                    // One object that cannot be read now, or a store that is away.
                    failures += 1
                    logger.warning("a manifest could not be read", metadata: ["capture_id": "\(row.capture)", "error": "\(error)"])
                    guard failures < UnsignedCaptures.maximumFailures else { throw error }
                }
            }
            if batch.count < Self.batchSize { break }
        }
        try await measure()
    }

    /// How many are left, also those that cannot be filled.
    private func measure() async throws {
        let left = try await database.withConnection { try await CredentialRepository($0).countWithoutDigests() }
        Meter(label: "rial_credential_digests_missing").set(left)
    }

    private func fill(_ row: UndigestedCredentials) async throws {
        do {
            let identity = try await identity(of: row)
            try await database.withConnection {
                try await CredentialRepository($0).save(row.capture, leaf: identity.leafDigest, manifest: identity.digest)
            }
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
