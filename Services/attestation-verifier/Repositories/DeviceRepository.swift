import Attestation
import CaptureProtocol
import Foundation
import Models
import Persistence

/// A registered device as appraisals need it.
struct Device: Sendable {
    let id: DeviceID
    let model: String
    let hasLiDAR: Bool
    let registered: RegisteredDevice
}

/// The registered devices.
struct DeviceRepository {
    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    /// - Returns: `nil` if a verified device holds the key already.
    func insert(_ message: RegistrationSubmission, verified attestation: VerifiedAttestation, receiptStatus: String) async throws
        -> DeviceID?
    {
        let id = DeviceID()
        let rows = try await connection.query(
            """
            INSERT INTO devices (id, platform, model, has_lidar, os_version, attestation_level, is_development_root, key_id,
                public_key, request_key_algorithm, request_key, app_id, environment, attestation_object, certificate_chain,
                receipt, receipt_status, validation_category, bundle_version, registered_at)
            VALUES (\(id.uuid), 'ios', \(message.model), \(message.hasLiDAR), \(message.osVersion), 'secure_enclave',
                \(attestation.isDevelopmentRoot), \(attestation.keyID), \(attestation.publicKeyX963),
                \(message.requestKey?.algorithm.rawValue), \(message.requestKey?.publicKey.bytes), \(attestation.appID),
                \(attestation.environment.rawValue), \(message.attestationObject.bytes), \(attestation.certificateChain),
                \(attestation.receipt), \(receiptStatus), \(attestation.extensions.validationCategory.map(Int64.init)),
                \(attestation.extensions.bundleVersion.map(BundleVersion.storable)), \(message.receivedAt))
            ON CONFLICT (key_id) WHERE attestation_level = 'secure_enclave' DO NOTHING
            RETURNING id
            """)
        return rows.isEmpty ? nil : id
    }

    /// An unverified device: it has a request key, and reserves no attested key.
    func insert(_ message: RegistrationSubmission, requestKey: RequestKey, failure: String) async throws -> DeviceID {
        let id = DeviceID()
        try await connection.query(
            """
            INSERT INTO devices (id, platform, model, has_lidar, os_version, attestation_level, attestation_failure, key_id,
                request_key_algorithm, request_key, attestation_object, registered_at)
            VALUES (\(id.uuid), 'ios', \(message.model), \(message.hasLiDAR), \(message.osVersion), 'unverified', \(failure),
                \(message.keyID.bytes), \(requestKey.algorithm.rawValue), \(requestKey.publicKey.bytes),
                \(message.attestationObject.bytes), \(message.receivedAt))
            """)
        return id
    }

    func find(_ id: DeviceID) async throws -> Device? {
        let rows = try await connection.query(
            """
            SELECT model, has_lidar, attestation_level, environment, app_id, public_key, is_development_root, validation_category,
                bundle_version,
                revoked_at IS NOT NULL AS is_revoked
            FROM devices WHERE id = \(id.uuid)
            """)
        guard let row = rows.first else { return nil }
        return Device(
            id: id, model: try row.get("model"), hasLiDAR: try row.get("has_lidar"),
            registered: RegisteredDevice(
                level: AttestationLevel(rawValue: try row.get("attestation_level")) ?? .unverified,
                isRevoked: try row.get("is_revoked"), publicKey: try row.getOptional("public_key"), appID: try row.getOptional("app_id"),
                environment: try row.getOptional("environment"), isDevelopmentRoot: try row.get("is_development_root"),
                validationCategory: try row.getOptional("validation_category", as: Int64.self).flatMap(UInt32.init(exactly:)),
                bundleVersion: try row.getOptional("bundle_version")))
    }

    /// Revokes or restores; revoking twice keeps the first time.
    /// - Returns: false if there is no such device.
    func apply(_ action: DeviceAction, to id: DeviceID) async throws -> Bool {
        let rows =
            switch action {
            case .revoked:
                try await connection.query(
                    "UPDATE devices SET revoked_at = coalesce(revoked_at, now()) WHERE id = \(id.uuid) RETURNING id")
            case .restored: try await connection.query("UPDATE devices SET revoked_at = NULL WHERE id = \(id.uuid) RETURNING id")
            }
        return !rows.isEmpty
    }
}
