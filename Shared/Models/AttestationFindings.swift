public import CaptureProtocol
import Foundation

/// What a verified assertion covers, and its counter.
public struct SignedCapture: Sendable, Equatable {
    public let binding: AssertionBinding
    public let counter: UInt32
    /// Whether the counter is below one seen before, because an offline queue was sent late. Not a contradiction; `nil` until the counter
    /// is consumed.
    public var isOutOfOrder: Bool?

    public init(binding: AssertionBinding, counter: UInt32, isOutOfOrder: Bool? = nil) {
        self.binding = binding
        self.counter = counter
        self.isOutOfOrder = isOutOfOrder
    }
}

/// The result of the hardware check (SPEC §3). A pass always states what was signed.
public enum HardwareAppraisal: Sendable, Equatable {
    case pass(SignedCapture)
    /// The evidence contradicts the capture.
    case fail(StableWord<HardwareReason>)
    /// A signature verifies, but covers nothing that was uploaded.
    case inconclusive(StableWord<HardwareReason>)
    /// Evidence is missing, or a valid signature is not accepted here.
    case unavailable(StableWord<HardwareReason>, signed: SignedCapture?)

    public static func fail(_ reason: HardwareReason) -> HardwareAppraisal { .fail(StableWord(reason)) }
    public static func inconclusive(_ reason: HardwareReason) -> HardwareAppraisal { .inconclusive(StableWord(reason)) }
    public static func unavailable(_ reason: HardwareReason, signed: SignedCapture? = nil) -> HardwareAppraisal {
        .unavailable(StableWord(reason), signed: signed)
    }

    /// What was signed, even if the signature is not accepted.
    public var signed: SignedCapture? {
        switch self {
        case .pass(let signed): signed
        case .fail, .inconclusive: nil
        case .unavailable(_, let signed): signed
        }
    }

    public var status: CheckStatus {
        switch self {
        case .pass: .pass
        case .fail: .fail
        case .inconclusive: .inconclusive
        case .unavailable: .unavailable
        }
    }

    public var reason: StableWord<HardwareReason>? {
        switch self {
        case .pass: nil
        case .fail(let reason), .inconclusive(let reason), .unavailable(let reason, _): reason
        }
    }

    /// The same appraisal after the counter was consumed.
    public func consumed(isOutOfOrder: Bool) -> HardwareAppraisal {
        func noted(_ signed: SignedCapture) -> SignedCapture {
            SignedCapture(binding: signed.binding, counter: signed.counter, isOutOfOrder: isOutOfOrder)
        }
        return switch self {
        case .pass(let signed): .pass(noted(signed))
        case .fail, .inconclusive: self
        case .unavailable(let reason, let signed): .unavailable(reason, signed: signed.map(noted))
        }
    }
}

/// The findings of `attestation-verifier` about the device and the assertion of one capture.
public struct AttestationFindings: Sendable, Equatable {
    public var appraisal: HardwareAppraisal
    public var level: AttestationLevel
    /// App Attest environment the key was attested in: `production` or `development`; `nil` for an unverified device.
    public var environment: String?
    /// True if the device's chain ends at a root that only this installation trusts.
    public var isDevelopmentAttestation: Bool
    /// The model given at registration.
    public var deviceModel: String
    /// Whether the device stated at registration that it has a LiDAR sensor; `nil` in findings of versions that did not store it.
    public var hasLiDAR: Bool?
    /// SHA-256 of the attestation object that the device registered with; `nil` in findings of versions that did not store it. Never
    /// public: it is the same for all captures of a device.
    public var attestationDigest: ContentDigest?
    /// `nil` for a photo.
    public var hashChain: HashChainEvidence?

    public init(
        _ appraisal: HardwareAppraisal, level: AttestationLevel, environment: String?, isDevelopmentAttestation: Bool, deviceModel: String,
        hasLiDAR: Bool? = nil, attestationDigest: ContentDigest? = nil, hashChain: HashChainEvidence? = nil
    ) {
        self.appraisal = appraisal
        self.level = level
        self.environment = environment
        self.isDevelopmentAttestation = isDevelopmentAttestation
        self.deviceModel = deviceModel
        self.hasLiDAR = hasLiDAR
        self.attestationDigest = attestationDigest
        self.hashChain = hashChain
    }
}

/// Encoded flat, as in the rows of all versions.
extension AttestationFindings: Codable {
    private enum CodingKeys: String, CodingKey {
        case status, level, environment
        case isDevelopmentAttestation = "development_attestation"
        case deviceModel = "device_model"
        case hasLiDAR = "has_lidar"
        case attestationDigest = "attestation_sha256"
        case binding, counter
        case outOfOrder = "out_of_order"
        case reason
        case hashChain = "hash_chain"
    }

    /// - Throws: `DecodingError`, also for a passed check that does not state what was signed.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func signed() throws -> SignedCapture? {
            guard let binding = try container.decodeIfPresent(AssertionBinding.self, forKey: .binding),
                let counter = try container.decodeIfPresent(UInt32.self, forKey: .counter)
            else { return nil }
            return SignedCapture(
                binding: binding, counter: counter, isOutOfOrder: try container.decodeIfPresent(Bool.self, forKey: .outOfOrder))
        }
        func reason() throws -> StableWord<HardwareReason> { try container.decode(StableWord<HardwareReason>.self, forKey: .reason) }
        let appraisal: HardwareAppraisal
        switch try container.decode(CheckStatus.self, forKey: .status) {
        case .pass:
            guard let signed = try signed() else {
                throw DecodingError.dataCorruptedError(forKey: .binding, in: container, debugDescription: "a pass without a signature")
            }
            appraisal = .pass(signed)
        case .fail: appraisal = .fail(try reason())
        case .unavailable: appraisal = .unavailable(try reason(), signed: try signed())
        case .inconclusive: appraisal = .inconclusive(try reason())
        }
        self.init(
            appraisal, level: try container.decode(AttestationLevel.self, forKey: .level),
            environment: try container.decodeIfPresent(String.self, forKey: .environment),
            isDevelopmentAttestation: try container.decode(Bool.self, forKey: .isDevelopmentAttestation),
            deviceModel: try container.decode(String.self, forKey: .deviceModel),
            hasLiDAR: try container.decodeIfPresent(Bool.self, forKey: .hasLiDAR),
            attestationDigest: try container.decodeIfPresent(ContentDigest.self, forKey: .attestationDigest),
            hashChain: try container.decodeIfPresent(HashChainEvidence.self, forKey: .hashChain))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(appraisal.status, forKey: .status)
        try container.encode(level, forKey: .level)
        try container.encodeIfPresent(environment, forKey: .environment)
        try container.encode(isDevelopmentAttestation, forKey: .isDevelopmentAttestation)
        try container.encode(deviceModel, forKey: .deviceModel)
        try container.encodeIfPresent(hasLiDAR, forKey: .hasLiDAR)
        try container.encodeIfPresent(attestationDigest, forKey: .attestationDigest)
        try container.encodeIfPresent(appraisal.signed?.binding, forKey: .binding)
        try container.encodeIfPresent(appraisal.signed?.counter, forKey: .counter)
        try container.encodeIfPresent(appraisal.signed?.isOutOfOrder, forKey: .outOfOrder)
        try container.encodeIfPresent(appraisal.reason, forKey: .reason)
        try container.encodeIfPresent(hashChain, forKey: .hashChain)
    }
}
