public import Foundation

/// The response to `GET /api/v1/devices/challenge`: a challenge for one registration.
public struct RegistrationChallenge: Codable, Sendable, Equatable {
    /// 32 random bytes.
    public let challenge: Base64Bytes
    public let expiresAt: Date

    public init(challenge: [UInt8], expiresAt: Date) {
        self.challenge = Base64Bytes(challenge)
        self.expiresAt = expiresAt
    }

    enum CodingKeys: String, CodingKey {
        case challenge
        case expiresAt = "expires_at"
    }
}

/// The body of `POST /api/v1/devices/register` as it is sent: bytes are base64 text, and nothing has been checked yet.
public struct DeviceRegistration: Codable, Sendable {
    /// The only supported platform.
    public static let iOS = "ios"
    /// How long the server answers a repeated body as it did the first time.
    public static let repeatableSeconds = 24 * 3600

    /// What App Attest gave for the key, and the challenge that it answers; each in base64.
    public struct Attestation: Codable, Sendable {
        public let keyID: String
        public let attestationObject: String
        public let challenge: String

        public init(keyID: [UInt8], attestationObject: [UInt8], challenge: [UInt8]) {
            self.keyID = Base64.encode(keyID)
            self.attestationObject = Base64.encode(attestationObject)
            self.challenge = Base64.encode(challenge)
        }

        enum CodingKeys: String, CodingKey {
            case keyID = "key_id"
            case attestationObject = "attestation_object"
            case challenge
        }
    }

    /// A ``RequestKey`` before it is checked.
    public struct Key: Codable, Sendable {
        public let algorithm: String
        public let publicKey: String

        enum CodingKeys: String, CodingKey {
            case algorithm
            case publicKey = "public_key"
        }
    }

    public let platform: String
    public let model: String
    public let hasLiDAR: Bool
    public let osVersion: String?
    public let attestation: Attestation
    public let requestKey: Key?

    public init(model: String, hasLiDAR: Bool, osVersion: String?, attestation: Attestation, requestKey: RequestKey?) {
        platform = Self.iOS
        self.model = model
        self.hasLiDAR = hasLiDAR
        self.osVersion = osVersion
        self.attestation = attestation
        self.requestKey = requestKey.map { Key(algorithm: $0.algorithm.rawValue, publicKey: Base64.encode($0.publicKey.bytes)) }
    }

    enum CodingKeys: String, CodingKey {
        case platform, model
        case hasLiDAR = "has_lidar"
        case osVersion = "os_version"
        case attestation
        case requestKey = "request_key"
    }
}

/// The response to a registration that created a device, verified or not.
public struct RegistrationResult: Codable, Sendable, Equatable {
    public let deviceID: DeviceID
    public let attestationLevel: AttestationLevel
    public let hasLiDAR: Bool
    /// The class of the failure, if the attestation did not verify.
    public let attestationFailure: String?

    public init(deviceID: DeviceID, attestationLevel: AttestationLevel, hasLiDAR: Bool, attestationFailure: String?) {
        self.deviceID = deviceID
        self.attestationLevel = attestationLevel
        self.hasLiDAR = hasLiDAR
        self.attestationFailure = attestationFailure
    }

    enum CodingKeys: String, CodingKey {
        case deviceID = "device_id"
        case attestationLevel = "attestation_level"
        case hasLiDAR = "has_lidar"
        case attestationFailure = "attestation_failure"
    }
}
