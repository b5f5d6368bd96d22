public import CaptureProtocol
public import Foundation

/// All findings about one capture (SPEC §4). All listed fields are always written, as `null` if unknown.
public struct EvidencePackage: Codable, Sendable, Equatable {
    public var type: CaptureType
    public var hardwareAttestation: HardwareAttestationEvidence
    public var depthAnalysis: DepthAnalysisEvidence
    public var metadata: MetadataEvidence
    /// These three are `nil` for a photo, and absent.
    public var video: VideoFacts?
    public var hashChain: HashChainEvidence?
    public var partialAttestation: PartialAttestationEvidence?
    public var contentCredentials: ContentCredentialsEvidence
    public var analysisSource: AnalysisSource
    public var mediaStored: Bool
    public var algorithmVersions: [String: String]
    public var processing: ProcessingEvidence

    public init(
        type: CaptureType, hardwareAttestation: HardwareAttestationEvidence, depthAnalysis: DepthAnalysisEvidence,
        metadata: MetadataEvidence, video: VideoFacts? = nil, hashChain: HashChainEvidence? = nil,
        contentCredentials: ContentCredentialsEvidence, analysisSource: AnalysisSource,
        mediaStored: Bool, algorithmVersions: [String: String], processing: ProcessingEvidence
    ) {
        self.type = type
        self.hardwareAttestation = hardwareAttestation
        self.depthAnalysis = depthAnalysis
        self.metadata = metadata
        self.video = video
        self.hashChain = hashChain
        partialAttestation = hashChain.map(PartialAttestationEvidence.init)
        self.contentCredentials = contentCredentials
        self.analysisSource = analysisSource
        self.mediaStored = mediaStored
        self.algorithmVersions = algorithmVersions
        self.processing = processing
    }

    /// The parts covered by an accepted signature; empty unless the hardware check passed. All other parts could have been written by
    /// anyone.
    public var signatureCovers: [SignedPart] {
        guard hardwareAttestation.status == .pass else { return [] }
        return hardwareAttestation.binding?.signedParts(isChainIntact: hashChain?.isIntact == true) ?? []
    }
    /// Whether all of the depth is signed.
    public var coversDepth: Bool { signatureCovers.contains(.depth) }
    /// Whether time, place and model are signed.
    public var coversMetadata: Bool { signatureCovers.contains(.metadata) }

    /// The public form: without the counter and what the flags keep back (SPEC §9). A package never contains the precise location or the
    /// device id.
    public func publicForm(sharing flags: MetadataFlags) -> EvidencePackage {
        var form = self
        form.hardwareAttestation.counter = nil
        if flags.device == .none {
            form.hardwareAttestation.deviceModel = nil
            form.depthAnalysis = depthAnalysis.withoutSensor
        }
        form.video = video?.shared(flags.timestamp)
        form.processing = processing.shared(flags.receipt)
        return form
    }

    /// What a statement of the public log commits to (SPEC §14): the public form without the place, whose coarse form could be found out
    /// by trying otherwise.
    public func statedForm(sharing flags: MetadataFlags) -> EvidencePackage {
        var form = publicForm(sharing: flags)
        form.metadata.leaveOutPlace()
        return form
    }

    enum CodingKeys: String, CodingKey {
        case type
        case hardwareAttestation = "hardware_attestation"
        case depthAnalysis = "depth_analysis"
        case metadata, video
        case hashChain = "hash_chain"
        case partialAttestation = "partial_attestation"
        case contentCredentials = "content_credentials"
        case analysisSource = "analysis_source"
        case mediaStored = "media_stored"
        case algorithmVersions = "algorithm_versions"
        case processing
    }

    /// The hardware check is written with what the signature covers, which depends on the chain too.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(type, forKey: .type)
        try container.encode(
            StatedHardwareAttestation(check: hardwareAttestation, signatureCovers: signatureCovers), forKey: .hardwareAttestation)
        try container.encode(depthAnalysis, forKey: .depthAnalysis)
        try container.encode(metadata, forKey: .metadata)
        try container.encodeIfPresent(video, forKey: .video)
        try container.encodeIfPresent(hashChain, forKey: .hashChain)
        try container.encodeIfPresent(partialAttestation, forKey: .partialAttestation)
        try container.encode(contentCredentials, forKey: .contentCredentials)
        try container.encode(analysisSource, forKey: .analysisSource)
        try container.encode(mediaStored, forKey: .mediaStored)
        try container.encode(algorithmVersions, forKey: .algorithmVersions)
        try container.encode(processing, forKey: .processing)
    }
}

extension DepthAnalysisEvidence {
    /// The check without the name of its reason, if that is a missing sensor: only some models have none. Such depth does not count, and is
    /// told like depth that decides nothing; if it shows a scene by its measurements, without these. The status, from which the confidence
    /// follows, stays.
    fileprivate var withoutSensor: DepthAnalysisEvidence {
        guard reason == StableWord(.noLiDAR) else { return self }
        guard verdict == .real else {
            var told = self
            told.reason = StableWord(.undecided)
            return told
        }
        var told = DepthAnalysisEvidence(status: status, measurements: nil, source: source, reason: StableWord(.undecided))
        told.verdict = .undecided
        told.isLikelyRealScene = false
        return told
    }
}

/// Who computed the depth measurements.
public enum AnalysisSource: String, Codable, Sendable { case server, device }

/// Whether Content Credentials were created, and if not, the reason.
public struct ContentCredentialsEvidence: Codable, Sendable, Equatable {
    /// `withheld`: the evidence does not allow them; `pending`: they are still to be made; `unavailable`: they cannot be made.
    public enum Status: String, Codable, Sendable { case embedded, withheld, pending, unavailable }
    public var status: Status
    public var reason: StableWord<CredentialsReason>?

    public init(status: Status, reason: CredentialsReason?) {
        self.status = status
        self.reason = reason.map(StableWord.init)
    }
}

/// When the server processed the capture.
public struct ProcessingEvidence: Codable, Sendable, Equatable {
    public var receivedAt: SharedTime
    public var completedAt: SharedTime
    /// `nil` where the times are not exact: with a time that is known otherwise it would tell them.
    public var durationMilliseconds: Int64?

    public init(receivedAt: Date, completedAt: Date) {
        self.receivedAt = .exact(receivedAt)
        self.completedAt = .exact(completedAt)
        durationMilliseconds = Int64((min(max(completedAt.timeIntervalSince(receivedAt), 0), 1e12) * 1000).rounded())
    }

    /// The same times, no more exact than the precision, and the duration only with exact ones.
    func shared(_ precision: TimePrecision) -> ProcessingEvidence {
        var shared = self
        shared.receivedAt = receivedAt.limited(to: precision)
        shared.completedAt = completedAt.limited(to: precision)
        if precision != .exact { shared.durationMilliseconds = nil }
        return shared
    }

    enum CodingKeys: String, CodingKey {
        case receivedAt = "received_at"
        case completedAt = "completed_at"
        case durationMilliseconds = "duration_ms"
    }

    /// A duration that is kept back is `null`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(receivedAt, forKey: .receivedAt)
        try container.encode(completedAt, forKey: .completedAt)
        try container.encode(durationMilliseconds, forKey: .durationMilliseconds)
    }
}
