public import CaptureProtocol
public import Foundation

/// A challenge for one registration.
public struct RegistrationChallenge: Sendable, Equatable, Decodable {
    /// 32 random bytes.
    public let challenge: Base64Bytes
    public let expiresAt: Date

    enum CodingKeys: String, CodingKey {
        case challenge
        case expiresAt = "expires_at"
    }
}

/// The body of `POST /api/v1/devices/register`.
public struct DeviceRegistration: Sendable, Encodable {
    public struct Attestation: Sendable, Encodable {
        public let keyID: Base64Bytes
        public let attestationObject: Base64Bytes
        public let challenge: Base64Bytes

        public init(keyID: [UInt8], attestationObject: [UInt8], challenge: [UInt8]) {
            self.keyID = Base64Bytes(keyID)
            self.attestationObject = Base64Bytes(attestationObject)
            self.challenge = Base64Bytes(challenge)
        }

        enum CodingKeys: String, CodingKey {
            case keyID = "key_id"
            case attestationObject = "attestation_object"
            case challenge
        }
    }

    public let platform = "ios"
    public let model: String
    public let hasLiDAR: Bool
    public let osVersion: String?
    public let attestation: Attestation
    public let requestKey: RequestKey?

    public init(model: String, hasLiDAR: Bool, osVersion: String?, attestation: Attestation, requestKey: RequestKey?) {
        self.model = model
        self.hasLiDAR = hasLiDAR
        self.osVersion = osVersion
        self.attestation = attestation
        self.requestKey = requestKey
    }

    enum CodingKeys: String, CodingKey {
        case platform, model
        case hasLiDAR = "has_lidar"
        case osVersion = "os_version"
        case attestation
        case requestKey = "request_key"
    }
}

/// What the server made of a registration.
public struct RegisteredDevice: Sendable, Equatable, Decodable {
    public let deviceID: DeviceID
    public let attestationLevel: AttestationLevel
    public let hasLiDAR: Bool
    /// The class of the failure, if the attestation did not verify.
    public let attestationFailure: String?

    enum CodingKeys: String, CodingKey {
        case deviceID = "device_id"
        case attestationLevel = "attestation_level"
        case hasLiDAR = "has_lidar"
        case attestationFailure = "attestation_failure"
    }
}
