public import CaptureProtocol
public import Foundation

/// A device requested its registration; its challenge has been consumed. The request is in the challenge's row, as
/// ``RegistrationSubmission``.
public struct RegistrationSubmitted: Event, Equatable {
    public static let topic = Topic.registrationSubmitted
    public let registrationID: RegistrationID
    public var partitionKey: String { registrationID.description }

    public init(registrationID: RegistrationID) { self.registrationID = registrationID }

    enum CodingKeys: String, CodingKey {
        case registrationID = "registration_id"
    }
}

/// The content of a registration request. Stored in `challenges.submission`, written once by `gateway`.
public struct RegistrationSubmission: Codable, Sendable, Equatable {
    public let registrationID: RegistrationID
    public let model: String
    public let hasLiDAR: Bool
    public let osVersion: String?
    public let keyID: Base64Bytes
    public let attestationObject: Base64Bytes
    /// SHA-256(challenge), or SHA-256(challenge ‖ public key) with a request key.
    public let clientDataHash: ContentDigest
    public let requestKey: RequestKey?
    /// The time at which certificates must be valid.
    public let receivedAt: Date

    public init(
        registrationID: RegistrationID, model: String, hasLiDAR: Bool, osVersion: String?, keyID: [UInt8],
        attestationObject: [UInt8], clientDataHash: ContentDigest, requestKey: RequestKey?, receivedAt: Date
    ) {
        self.registrationID = registrationID
        self.model = model
        self.hasLiDAR = hasLiDAR
        self.osVersion = osVersion
        self.keyID = Base64Bytes(keyID)
        self.attestationObject = Base64Bytes(attestationObject)
        self.clientDataHash = clientDataHash
        self.requestKey = requestKey
        self.receivedAt = receivedAt
    }

    enum CodingKeys: String, CodingKey {
        case registrationID = "registration_id"
        case model
        case hasLiDAR = "has_lidar"
        case osVersion = "os_version"
        case keyID = "key_id"
        case attestationObject = "attestation_object"
        case clientDataHash = "client_data_hash"
        case requestKey = "request_key"
        case receivedAt = "received_at"
    }
}

/// The outcome of a registration is in `registrations`; waiting requests can read it.
public struct RegistrationAppraised: Event, Equatable {
    public static let topic = Topic.registrationAppraised
    public let registrationID: RegistrationID
    public let outcome: RegistrationOutcome
    public var partitionKey: String { registrationID.description }

    public init(registrationID: RegistrationID, outcome: RegistrationOutcome) {
        self.registrationID = registrationID
        self.outcome = outcome
    }

    enum CodingKeys: String, CodingKey {
        case registrationID = "registration_id"
        case outcome
    }
}

/// The outcome of a registration.
public enum RegistrationOutcome: String, Codable, Sendable {
    /// A device was created.
    case registered
    /// Not verified, and without a request key to authenticate the device: `INVALID_ATTESTATION`.
    case invalidAttestation = "invalid_attestation"
    /// The key belongs to a verified device: `DEVICE_ALREADY_REGISTERED`.
    case alreadyRegistered = "already_registered"
    /// The record was dead-lettered by a fault of ours: not final, the same body is appraised again.
    case failed
}
