import Foundation

/// The check of device and assertion (SPEC §3).
public struct HardwareAttestationEvidence: Codable, Sendable, Equatable {
    public var status: CheckStatus
    public var level: AttestationLevel
    public var environment: String?
    /// The device's chain ends at a root that only this installation trusts.
    public var developmentAttestation: Bool
    public var deviceModel: String
    public var binding: AssertionBinding?
    /// For the owning device alone.
    public var counter: UInt32?
    public var outOfOrder: Bool?
    public var reason: String?

    public init(_ findings: AttestationFindings) {
        status = findings.status
        level = findings.level
        environment = findings.environment
        developmentAttestation = findings.isDevelopmentAttestation
        deviceModel = findings.deviceModel
        binding = findings.binding
        counter = findings.counter
        outOfOrder = findings.outOfOrder
        reason = findings.reason
    }

    enum CodingKeys: String, CodingKey {
        case status, level, environment
        case developmentAttestation = "development_attestation"
        case deviceModel = "device_model"
        case binding, counter
        case outOfOrder = "out_of_order"
        case reason
    }
}

/// The check of the depth map: the analyzer's numbers, the verdict, and the status that verdict and binding give.
public struct DepthAnalysisEvidence: Codable, Sendable, Equatable {
    public var status: CheckStatus
    public var depthVariance: Double?
    public var depthLayers: Int?
    public var edgeCoherence: Double?
    public var minDepth: Double?
    public var maxDepth: Double?
    public var relief: Double?
    public var coverage: Double?
    public var verdict: DepthVerdict?
    public var isLikelyRealScene: Bool?
    public var specifiedRule: Bool?
    public var method: String?
    public var source: AnalysisSource
    public var reason: String?

    /// - Parameter measurements: `nil` if there was no depth to measure.
    public init(status: CheckStatus, measurements: DepthMeasurements?, source: AnalysisSource, reason: String?) {
        self.status = status
        depthVariance = measurements?.depthVariance
        depthLayers = measurements?.depthLayers
        edgeCoherence = measurements?.edgeCoherence
        minDepth = measurements?.minDepth
        maxDepth = measurements?.maxDepth
        relief = measurements?.relief
        coverage = measurements?.coverage
        verdict = measurements?.verdict
        isLikelyRealScene = measurements?.isLikelyRealScene
        specifiedRule = measurements?.specifiedRule
        method = measurements?.method
        self.source = source
        self.reason = reason
    }

    enum CodingKeys: String, CodingKey {
        case status
        case depthVariance = "depth_variance"
        case depthLayers = "depth_layers"
        case edgeCoherence = "edge_coherence"
        case minDepth = "min_depth"
        case maxDepth = "max_depth"
        case relief, coverage, verdict
        case isLikelyRealScene = "is_likely_real_scene"
        case specifiedRule = "specified_rule"
        case method, source, reason
    }
}

/// One metadata check: its status, and a stable word for anything but `pass`.
public struct MetadataCheck: Codable, Sendable, Equatable {
    public var status: CheckStatus
    public var reason: String?

    public init(_ status: CheckStatus, reason: String? = nil) {
        self.status = status
        self.reason = reason
    }
}

/// The metadata checks and what they say in one word each.
public struct MetadataEvidence: Codable, Sendable, Equatable {
    public var timestamp: MetadataCheck
    public var model: MetadataCheck
    public var resolution: MetadataCheck
    public var location: MetadataCheck
    /// True, false, or null where the check could not tell.
    public var timestampValid: Bool?
    public var modelVerified: Bool?
    public var locationAvailable: Bool
    public var locationCoarse: CoarseLocation?

    public init(
        timestamp: MetadataCheck, model: MetadataCheck, resolution: MetadataCheck, location: MetadataCheck,
        locationAvailable: Bool, locationCoarse: CoarseLocation?
    ) {
        self.timestamp = timestamp
        self.model = model
        self.resolution = resolution
        self.location = location
        timestampValid = Self.truth(timestamp.status)
        modelVerified = Self.truth(model.status)
        self.locationAvailable = locationAvailable
        self.locationCoarse = locationCoarse
    }

    private static func truth(_ status: CheckStatus) -> Bool? {
        switch status {
        case .pass: true
        case .fail: false
        case .inconclusive, .unavailable: nil
        }
    }

    enum CodingKeys: String, CodingKey {
        case timestamp, model, resolution, location
        case timestampValid = "timestamp_valid"
        case modelVerified = "model_verified"
        case locationAvailable = "location_available"
        case locationCoarse = "location_coarse"
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(timestamp, forKey: .timestamp)
        try container.encode(model, forKey: .model)
        try container.encode(resolution, forKey: .resolution)
        try container.encode(location, forKey: .location)
        try container.encode(timestampValid, forKey: .timestampValid)
        try container.encode(modelVerified, forKey: .modelVerified)
        try container.encode(locationAvailable, forKey: .locationAvailable)
        try container.encode(locationCoarse, forKey: .locationCoarse)
    }
}

/// A place as the public may see it.
public struct CoarseLocation: Codable, Sendable, Equatable {
    /// Degrees, WGS 84, rounded to two decimals.
    public var latitude: Double
    public var longitude: Double
    /// "San Francisco, CA", "Lyon, France", a country, or "at sea".
    public var name: String

    public init(latitude: Double, longitude: Double, name: String) {
        self.latitude = latitude
        self.longitude = longitude
        self.name = name
    }
}
