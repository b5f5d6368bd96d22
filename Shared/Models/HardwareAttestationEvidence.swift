public import CaptureProtocol

/// The check of device and assertion (SPEC §3).
public struct HardwareAttestationEvidence: Codable, Sendable, Equatable {
    public var status: CheckStatus
    public var level: AttestationLevel
    public var environment: String?
    /// The device's chain ends at a root that only this installation trusts.
    public var developmentAttestation: Bool
    /// As the device reported it at registration; `nil` where it is kept back.
    public var deviceModel: String?
    public var binding: AssertionBinding?
    /// Shown only to the owning device.
    public var counter: UInt32?
    public var outOfOrder: Bool?
    public var reason: StableWord<HardwareReason>?

    public init(_ findings: AttestationFindings) {
        status = findings.appraisal.status
        level = findings.level
        environment = findings.environment
        developmentAttestation = findings.isDevelopmentAttestation
        deviceModel = findings.deviceModel
        binding = findings.appraisal.signed?.binding
        counter = findings.appraisal.signed?.counter
        outOfOrder = findings.appraisal.signed?.isOutOfOrder
        reason = findings.appraisal.reason
    }

    enum CodingKeys: String, CodingKey {
        case status, level, environment
        case developmentAttestation = "development_attestation"
        case deviceModel = "device_model"
        case binding, counter
        case outOfOrder = "out_of_order"
        case reason
    }

    /// Unknown fields are `null`. The counter is omitted instead, so that the public form does not contain its name.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(status, forKey: .status)
        try container.encode(level, forKey: .level)
        try container.encode(environment, forKey: .environment)
        try container.encode(developmentAttestation, forKey: .developmentAttestation)
        try container.encode(deviceModel, forKey: .deviceModel)
        try container.encode(binding, forKey: .binding)
        try container.encodeIfPresent(counter, forKey: .counter)
        try container.encode(outOfOrder, forKey: .outOfOrder)
        try container.encode(reason, forKey: .reason)
    }
}

/// The check as its package writes it, with a derived value for readers.
struct StatedHardwareAttestation: Encodable {
    let check: HardwareAttestationEvidence
    let signatureCovers: [SignedPart]

    enum CodingKeys: String, CodingKey { case signatureCovers = "signature_covers" }

    func encode(to encoder: any Encoder) throws {
        try check.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(signatureCovers, forKey: .signatureCovers)
    }
}
