import CaptureProtocol
import Foundation
import Models
import Persistence
import TestSupport
import Testing
import TransparencyLog

@testable import Gateway

/// A separate schema with the product's tables, in the PostgreSQL server of `RIAL_TEST_DATABASE_URL`; dropped after the test.
struct SiteDatabase: Sendable {
    static let isConfigured = TestSchema.isConfigured
    static let hint: Comment = "RIAL_TEST_DATABASE_URL names no PostgreSQL"

    let pool: PostgresPool

    static func with(_ body: @Sendable (SiteDatabase) async throws -> Void) async throws {
        try await TestSchema.withPools(prefix: "site") { try await body(SiteDatabase(pool: $0[0])) }
    }

    func insertDevice(model: String = "iPhone 15 Pro", development: Bool = false) async throws -> DeviceID {
        let id = DeviceID()
        _ = try await pool.query(
            """
            INSERT INTO devices (id, platform, model, has_lidar, is_development_root, attestation_level, attestation_failure, key_id,
                request_key_algorithm, request_key, attestation_object, registered_at)
            VALUES (\(id.uuid), 'ios', \(model), true, \(development), 'unverified', 'x', \([UInt8](repeating: 1, count: 32)), 'ed25519',
                \([UInt8](repeating: 2, count: 32)), \([UInt8]([1])), now())
            """)
        return id
    }

    /// - Parameters:
    ///   - evidence: of a complete capture; `nil` for a capture in processing.
    ///   - flags: what a hash-only capture shares, without its place; `nil` for one with media.
    func insertCapture(
        of device: DeviceID, short: String, _ evidence: EvidencePackage?, _ confidence: ConfidenceLevel = .high,
        at time: Date = Samples.received, sharing flags: MetadataFlags? = nil
    ) async throws -> CaptureID {
        let id = CaptureID()
        let json = try evidence.map { try PostgresJSON(encoding: $0) }
        let shared = try flags.map { try PostgresJSON(encoding: $0) }
        let captured = SharedTime(Samples.captured, (flags ?? .everything).timestamp)
        let assertion = flags.map { _ in [UInt8](repeating: 4, count: 32) }
        let place = flags == nil ? #"{"latitude": 45.764043, "longitude": 4.835659}"# : nil
        _ = try await pool.query(
            """
            INSERT INTO captures (id, short_id, device_id, type, capture_mode, status, confidence_level, media_sha256, assertion_sha256,
                captured_at, captured_precision, metadata_flags, uploaded_at, announcement, location, evidence)
            VALUES (\(id.uuid), \(short), \(device.uuid), 'photo', \(flags == nil ? "full" : "hash_only"),
                \(evidence == nil ? "processing" : "complete"), \(evidence == nil ? nil : confidence.rawValue), \(Samples.digest.bytes),
                \(assertion), \(captured.date), \(captured.precision.rawValue), \(shared), \(time), '{}', \(place)::jsonb, \(json))
            """)
        return id
    }

    /// Only what the gateway reads of it where it reads no more.
    func insertStatement(on capture: CaptureID, _ kind: Statement.Kind, sequence: Int) async throws {
        let isRevocation = kind == .revocation
        let some = isRevocation ? nil : [UInt8](repeating: 1, count: 32)
        var commitment = [UInt8](repeating: 0, count: 32)
        commitment.withUnsafeMutableBytes { bytes in for index in bytes.indices { bytes[index] = .random(in: 0...255) } }
        _ = try await pool.query(
            """
            INSERT INTO statements
                (commitment, capture_id, sequence, kind, subject, time, statement, salt, evidence, raw, raw_salt)
            VALUES (\(commitment), \(capture.uuid), \(sequence), \(kind.rawValue), \([UInt8](repeating: 3, count: 16)), 0,
                \([UInt8]([1])), \([UInt8](repeating: 1, count: 32)), \(some), \(isRevocation ? nil : "{}")::jsonb, \(some))
            """)
    }

    func insertMedia(_ capture: CaptureID, _ name: String) async throws {
        _ = try await pool.query(
            """
            INSERT INTO media_objects (capture_id, name, object_key, sha256, size_bytes, content_type, width, height)
            VALUES (\(capture.uuid), \(name), \("captures/\(capture)/\(name)"), \(Samples.copyDigest.bytes), 3400000, 'x', 768, 576)
            """)
    }
}
