public import CaptureProtocol
public import Foundation
public import Models

/// Assembles a capture's evidence package: all checks, and the resulting confidence.
public enum EvidenceAssembly {
    public static let algorithmVersions = [
        "attestation": "app-attest-2", "depth": "relief-2", "metadata": "metadata-2", "confidence": "confidence-1",
    ]

    /// The versions for videos that are stored, where they differ (SPEC §10.6).
    public static let videoVersions = ["hash_chain": "chain-2", "depth": VideoDepthRule.method, "confidence": "confidence-video-1"]

    /// The versions used for a capture; its depth may have been measured by an earlier method.
    static func algorithmVersions(_ kind: CaptureKind, _ depth: DepthFindings) -> [String: String] {
        let versions: [String: String] =
            switch kind {
            case .photo, .hashOnly, .hashOnlyVideo: algorithmVersions
            case .video: algorithmVersions.merging(videoVersions) { $1 }
            }
        guard let method = depth.measurements?.method ?? depth.temporal?.method else { return versions }
        return versions.merging(["depth": method]) { $1 }
    }

    /// What a capture says of itself.
    public enum Statement: Sendable {
        /// - Parameter exif: of the stored photo; `nil` if it has none that can be read.
        case photo(CaptureMetadata, exif: EXIFFields?)
        case hashOnly(HashOnlyPayload)
        /// What its recording says, and what its file says.
        case video(VideoMetadata, MovieFacts)

        var kind: CaptureKind {
            switch self {
            case .photo: .photo
            case .hashOnly(let payload): payload.kind
            case .video: .video
            }
        }

        /// When it was captured, as exactly as that is shared. For a video, when recording began.
        public var capturedAt: SharedTime {
            switch self {
            case .photo(let metadata, _): .exact(metadata.capturedAt)
            case .hashOnly(let payload): payload.capturedAt
            case .video(let metadata, _): .exact(metadata.startedAt)
            }
        }

        /// Who measured its depth.
        var analysisSource: AnalysisSource {
            switch self {
            case .photo, .video: .server
            case .hashOnly: .device
            }
        }

        /// Whether a photo's depth map is shaped as a sensor's. A video's says its own shape, and what was not sent has none.
        var hasSensorShape: Bool {
            switch self {
            case .photo(let metadata, _): metadata.hasSensorShape
            case .hashOnly, .video: true
            }
        }

        /// `nil` for a photo.
        var video: VideoFacts? {
            switch self {
            case .photo: nil
            case .hashOnly(let payload): payload.video.map { VideoFacts($0, startedAt: payload.capturedAt) }
            case .video(let metadata, let file): VideoFacts(file, startedAt: metadata.startedAt)
            }
        }
    }

    /// - Parameters:
    ///   - receivedAt: when the upload was accepted, even if it is assessed again later.
    ///   - cities: names its coarse place.
    public static func assemble(
        attestation: AttestationFindings, depth: DepthFindings, statement: Statement, receivedAt: Date, completedAt: Date, cities: CityNames
    ) -> (package: EvidencePackage, confidence: ConfidenceLevel) {
        let hardware = HardwareAttestationEvidence(attestation)
        let depthEvidence = self.depthEvidence(
            depth, attestation: attestation, source: statement.analysisSource, hasSensorShape: statement.hasSensorShape)
        let checks = metadataEvidence(statement, registeredModel: attestation.deviceModel, receivedAt: receivedAt, cities)
        let statuses = [checks.timestamp.status, checks.model.status, checks.resolution.status, checks.location.status]
        let kind = statement.kind
        let chain: HashChainEvidence? =
            switch kind.type {
            case .photo: nil
            case .video: attestation.hashChain
            }
        let confidence: ConfidenceLevel =
            switch kind {
            case .photo, .hashOnly, .hashOnlyVideo:
                ConfidenceRule.confidence(hardware: hardware.status, depth: depthEvidence.status, metadata: statuses)
            case .video:
                ConfidenceRule.confidence(
                    hardware: hardware.status, hashChain: chain?.status ?? .unavailable, depth: depthEvidence.status, metadata: statuses)
            }
        let package = EvidencePackage(
            type: kind.type, hardwareAttestation: hardware, depthAnalysis: depthEvidence, metadata: checks,
            video: statement.video, hashChain: chain,
            contentCredentials: contentCredentials(kind, hardware: hardware.status, confidence: confidence),
            analysisSource: statement.analysisSource, mediaStored: kind.mode.storesMedia, algorithmVersions: algorithmVersions(kind, depth),
            processing: ProcessingEvidence(receivedAt: receivedAt, completedAt: completedAt))
        return (package, confidence)
    }

    /// The status that the depth check has in the package.
    /// - Parameter hasSensorShape: of a photo's depth map, see `CaptureMetadata.hasSensorShape`; true for other captures.
    public static func depthStatus(
        _ findings: DepthFindings, attestation: AttestationFindings, hasSensorShape: Bool
    ) -> CheckStatus {
        depthEvidence(findings, attestation: attestation, source: .server, hasSensorShape: hasSensorShape).status
    }

    private static func depthEvidence(
        _ findings: DepthFindings, attestation: AttestationFindings, source: AnalysisSource, hasSensorShape: Bool
    ) -> DepthAnalysisEvidence {
        if let temporal = findings.temporal {
            return depthEvidence(temporal, findings, attestation: attestation, source: source)
        }
        // Also of a signature that verifies but is not accepted here: what it leaves out was not signed.
        let binding = attestation.appraisal.signed?.binding
        let (status, reason) = DepthStatusRule.status(
            verdict: findings.measurements?.verdict, binding: binding, hasLiDAR: hasLiDAR(attestation),
            hasSensorShape: hasSensorShape)
        // For a depth that is not real, the analyzer's reason is more exact.
        let isOpen = findings.measurements?.verdict != .real && reason != .noLiDAR
        let measured = isOpen ? findings.measurements?.reason : nil
        return DepthAnalysisEvidence(
            status: status, measurements: findings.measurements, source: source,
            reason: measured ?? reason.map(StableWord.init) ?? findings.unavailableReason, previewScale: findings.previewScale)
    }

    /// The depth evidence of a video.
    private static func depthEvidence(
        _ temporal: VideoDepthMeasurements, _ findings: DepthFindings, attestation: AttestationFindings, source: AnalysisSource
    ) -> DepthAnalysisEvidence {
        let binding: AssertionBinding? = if case .pass(let signed) = attestation.appraisal { signed.binding } else { nil }
        let (status, reason) = DepthStatusRule.videoStatus(
            verdict: temporal.verdict, hardware: attestation.appraisal.status, binding: binding, hasLiDAR: hasLiDAR(attestation))
        let measured = reason == .undecided ? temporal.reason.map { StableWord<DepthReason>(text: $0.text) } : nil
        return DepthAnalysisEvidence(
            status: status, temporal: temporal, source: source, reason: measured ?? reason.map(StableWord.init),
            previewScale: findings.previewScale)
    }

    private static func hasLiDAR(_ attestation: AttestationFindings) -> Bool {
        attestation.hasLiDAR != false && !IPhoneModels.isWithoutLiDAR(attestation.deviceModel)
    }

    private static func metadataEvidence(
        _ statement: Statement, registeredModel: String, receivedAt: Date, _ cities: CityNames
    ) -> MetadataEvidence {
        switch statement {
        case .photo(let metadata, let exif):
            MetadataEvidence(
                timestamp: TimestampCheck.result(exif, capturedAt: metadata.capturedAt, receivedAt: receivedAt),
                model: ModelCheck.result(exif: exif?.model, claimed: metadata.deviceModel, registered: registeredModel),
                resolution: ResolutionCheck.result(exif, claimed: metadata.deviceModel),
                location: LocationCheck.result(metadata.location), place: place(metadata.location, cities))
        case .hashOnly(let payload):
            MetadataEvidence(
                timestamp: TimestampCheck.result(signed: payload.capturedAt, receivedAt: receivedAt),
                model: payload.deviceModel.map { ModelCheck.result(exif: nil, claimed: $0, registered: registeredModel) }
                    ?? MetadataCheck(.unavailable, reason: .notShared),
                resolution: MetadataCheck(.unavailable, reason: .mediaNotStored),
                location: payload.flags.location == .none
                    ? MetadataCheck(.unavailable, reason: .notShared) : LocationCheck.result(payload.location),
                place: place(payload.location, cities))
        case .video(let metadata, let file):
            MetadataEvidence(
                timestamp: TimestampCheck.result(file, startedAt: metadata.startedAt, receivedAt: receivedAt),
                model: ModelCheck.result(exif: file.model, claimed: metadata.deviceModel, registered: registeredModel),
                resolution: ResolutionCheck.result(file), location: LocationCheck.result(metadata.location),
                place: place(metadata.location, cities))
        }
    }

    private static func place(_ location: PreciseLocation?, _ cities: CityNames) -> CoarseLocation? {
        location.flatMap { LocationCheck.isOnEarth($0) ? CoarseLocation($0, names: cities) : nil }
    }

    /// SPEC §7: withheld unless the hardware check passed and the capture is not suspicious; else pending. SPEC §9: nothing is signed for
    /// media that were not seen.
    private static func contentCredentials(
        _ kind: CaptureKind, hardware: CheckStatus, confidence: ConfidenceLevel
    ) -> ContentCredentialsEvidence {
        if !kind.mode.storesMedia { return ContentCredentialsEvidence(status: .withheld, reason: .mediaNotStored) }
        if confidence == .suspicious { return ContentCredentialsEvidence(status: .withheld, reason: .suspicious) }
        if hardware != .pass { return ContentCredentialsEvidence(status: .withheld, reason: .hardwareNotPassed) }
        return ContentCredentialsEvidence(status: .pending, reason: nil)
    }
}
