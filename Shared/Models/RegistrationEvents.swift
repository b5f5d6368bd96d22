public import CaptureProtocol
public import Foundation

/// A device asked to be registered; its challenge has been consumed. What it asks for is in the challenge's row, as
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

/// What a registration asks for. In `challenges.submission`, written once by `gateway`.
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
    /// Certificates are judged at this time.
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

/// A registration has its outcome in `registrations`; whoever waits may look.
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

/// How a registration ended.
public enum RegistrationOutcome: String, Codable, Sendable {
    /// A device was made.
    case registered
    /// Not verified, and no request key to authenticate it by: `INVALID_ATTESTATION`.
    case invalidAttestation = "invalid_attestation"
    /// The key belongs to a verified device: `DEVICE_ALREADY_REGISTERED`.
    case alreadyRegistered = "already_registered"
    /// The record was given up by a fault of ours: not final, the same body is appraised again.
    case failed
}
