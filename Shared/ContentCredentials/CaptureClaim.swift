public import CaptureProtocol
public import Foundation
public import Models

/// The content of a capture's Content Credentials: attestation, depth analysis and confidence. Never includes a location or an identifier
/// of the device, and time and model only if the hardware signature covers them.
public struct CaptureClaim: Sendable {
    public let captureID: CaptureID
    let type: CaptureType
    /// `nil` unless the time check passed and the hardware signature covers the time.
    public let capturedAt: Date?
    public let attestation: AttestationAssertion
    public let depthAnalysis: DepthAnalysisAssertion
    public let confidence: ConfidenceAssertion
    /// What is claimed of a video; `nil` for a photo, like ``hashChain``.
    public let video: VideoAssertion?
    public let hashChain: HashChainAssertion?

    /// - Parameter capturedAt: `nil` if it cannot be read.
    public init(captureID: CaptureID, capturedAt: Date?, evidence: EvidencePackage, confidence: ConfidenceLevel) {
        self.captureID = captureID
        type = evidence.type
        let isBound = evidence.coversMetadata && evidence.metadata.timestamp.status == .pass
        self.capturedAt = isBound ? capturedAt : nil
        attestation = AttestationAssertion(evidence)
        depthAnalysis = DepthAnalysisAssertion(evidence.depthAnalysis)
        self.confidence = ConfidenceAssertion(evidence, confidence)
        video = evidence.video.map {
            VideoAssertion($0, isBound: isBound, isEndSigned: evidence.hardwareAttestation.binding != .checkpoint)
        }
        hashChain = evidence.hashChain.map(HashChainAssertion.init)
    }

    /// The media type of the copy that is signed.
    var mediaType: String {
        switch type {
        case .photo: "image/jpeg"
        case .video: "video/mp4"
        }
    }

    private var fileExtension: String {
        switch type {
        case .photo: "jpg"
        case .video: "mp4"
        }
    }

    /// The manifest's label. It depends on the capture alone, so that it is unique.
    public var manifestID: String { "urn:c2pa:\(captureID):rial" }

    /// The manifest's definition for the library: claim version 2, `c2pa.actions.v2` with `c2pa.created`, and our assertions, all
    /// marked as created by the signer.
    ///
    /// The library drops the version from labels that are not the standard's (measured with 0.91.3, for `.v1`, `.v2` and repeated labels):
    /// in the file ours are `app.rial.attestation`, `app.rial.depth_analysis` and `app.rial.confidence`.
    func definition() throws -> String {
        let actions = Actions(actions: [.init(when: capturedAt)])
        var assertions = [
            Entry(label: "c2pa.actions.v2", data: actions), Entry(label: "app.rial.attestation.v1", data: attestation),
            Entry(label: "app.rial.depth_analysis.v1", data: depthAnalysis), Entry(label: "app.rial.confidence.v1", data: confidence),
        ]
        if let hashChain { assertions.append(Entry(label: "app.rial.hash_chain.v1", data: hashChain)) }
        if let video { assertions.append(Entry(label: "app.rial.video.v1", data: video)) }
        let definition = Definition(
            label: manifestID, title: "\(captureID).\(fileExtension)", format: mediaType, assertions: assertions)
        return String(decoding: try WireJSON.encode(definition), as: UTF8.self)
    }
}

/// `app.rial.attestation.v1` (docs/schemas): how the capture is bound to a device.
public struct AttestationAssertion: Codable, Sendable, Equatable {
    public let level: AttestationLevel
    public let environment: String?
    public let developmentAttestation: Bool
    /// As the device reported it; `nil` if the hardware signature does not cover the metadata.
    public let deviceModel: String?
    public let binding: AssertionBinding?

    init(_ evidence: EvidencePackage) {
        let found = evidence.hardwareAttestation
        level = found.level
        environment = found.environment
        developmentAttestation = found.developmentAttestation
        deviceModel = evidence.coversMetadata ? found.deviceModel : nil
        binding = found.binding
    }

    enum CodingKeys: String, CodingKey {
        case level, environment
        case developmentAttestation = "development_attestation"
        case deviceModel = "device_model"
        case binding
    }
}

/// `app.rial.depth_analysis.v1` (docs/schemas): measurements and verdict, lengths in metres.
public struct DepthAnalysisAssertion: Codable, Sendable, Equatable {
    public let status: CheckStatus
    public let verdict: DepthVerdict?
    public let isLikelyRealScene: Bool?
    public let depthVariance: Double?
    public let depthLayers: Int?
    public let edgeCoherence: Double?
    public let minDepth: Double?
    public let maxDepth: Double?
    public let relief: Double?
    public let reliefFront: Double?
    public let reliefBehind: Double?
    public let photoEdgesOnSurface: Double?
    public let coverage: Double?
    public let method: String?
    public let source: AnalysisSource
    /// The measurements of a video, without the list of its keyframes.
    public let depthConsistency: Double?
    public let motionCoherence: Double?
    public let sceneStability: Double?
    public let edgeAlignment: Double?
    public let realShare: Double?
    public let flatShare: Double?
    public let keyframes: Int?

    init(_ evidence: DepthAnalysisEvidence) {
        depthConsistency = evidence.temporal?.depthConsistency
        motionCoherence = evidence.temporal?.motionCoherence
        sceneStability = evidence.temporal?.sceneStability
        edgeAlignment = evidence.temporal?.edgeAlignment
        realShare = evidence.temporal?.realShare
        flatShare = evidence.temporal?.flatShare
        keyframes = evidence.temporal?.keyframes
        status = evidence.status
        verdict = evidence.verdict
        isLikelyRealScene = evidence.isLikelyRealScene
        depthVariance = evidence.depthVariance
        depthLayers = evidence.depthLayers
        edgeCoherence = evidence.edgeCoherence
        minDepth = evidence.minDepth
        maxDepth = evidence.maxDepth
        relief = evidence.relief
        reliefFront = evidence.reliefFront
        reliefBehind = evidence.reliefBehind
        photoEdgesOnSurface = evidence.photoEdgesOnSurface
        coverage = evidence.coverage
        method = evidence.method
        source = evidence.source
    }

    enum CodingKeys: String, CodingKey {
        case status, verdict
        case isLikelyRealScene = "is_likely_real_scene"
        case depthVariance = "depth_variance"
        case depthLayers = "depth_layers"
        case edgeCoherence = "edge_coherence"
        case minDepth = "min_depth"
        case maxDepth = "max_depth"
        case relief
        case reliefFront = "relief_front"
        case reliefBehind = "relief_behind"
        case photoEdgesOnSurface = "photo_edges_on_surface"
        case coverage, method, source
        case depthConsistency = "depth_consistency"
        case motionCoherence = "motion_coherence"
        case sceneStability = "scene_stability"
        case edgeAlignment = "edge_alignment"
        case realShare = "real_share"
        case flatShare = "flat_share"
        case keyframes
    }
}

/// `app.rial.confidence.v1` (docs/schemas): the level, the checks that it follows from, and the versions of the algorithms.
public struct ConfidenceAssertion: Codable, Sendable, Equatable {
    public let level: ConfidenceLevel
    /// Those of time, model and place only if the hardware signature covers them.
    public let checks: [String: CheckStatus]
    public let algorithmVersions: [String: String]

    init(_ evidence: EvidencePackage, _ level: ConfidenceLevel) {
        self.level = level
        var checks = [
            "hardware_attestation": evidence.hardwareAttestation.status, "depth_analysis": evidence.depthAnalysis.status,
            "metadata.resolution": evidence.metadata.resolution.status,
        ]
        checks["hash_chain"] = evidence.hashChain?.status
        if evidence.coversMetadata {
            checks["metadata.timestamp"] = evidence.metadata.timestamp.status
            checks["metadata.model"] = evidence.metadata.model.status
            checks["metadata.location"] = evidence.metadata.location.status
        }
        self.checks = checks
        algorithmVersions = evidence.algorithmVersions
    }

    enum CodingKeys: String, CodingKey {
        case level, checks
        case algorithmVersions = "algorithm_versions"
    }
}

private struct Definition: Encodable {
    let claim_version = 2
    let vendor = "rial"
    let label: String
    let claim_generator_info = [Generator(specVersion: "2.4")]
    let title: String
    let format: String
    let assertions: [Entry]
}

private struct Generator: Encodable {
    let name = Product.name
    let version = Product.version
    /// The version of the C2PA specification; only in the claim's generator (C2PA 2.4 §10.2.3.2).
    var specVersion: String?
}

private struct Entry: Encodable {
    let label: String
    let created = true
    let data: any Encodable

    enum CodingKeys: CodingKey { case label, created, data }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(label, forKey: .label)
        try container.encode(created, forKey: .created)
        try container.encode(data, forKey: .data)
    }
}

private struct Actions: Encodable {
    struct Action: Encodable {
        let action = "c2pa.created"
        let when: Date?
        /// IPTC's term for a photo taken by a sensor.
        let digitalSourceType = "http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture"
        let softwareAgent = Generator()
    }
    let actions: [Action]
    /// Marks the list of actions as complete (C2PA 2.4 §18.15.3): the photo was taken, nothing else.
    let allActionsIncluded = true
}
