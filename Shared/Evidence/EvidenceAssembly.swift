public import CaptureProtocol
public import Foundation
public import Models

/// Puts the parts of a capture together: every check, the confidence, the package.
public enum EvidenceAssembly {
    public static let algorithmVersions = [
        "attestation": "app-attest-2", "depth": "relief-2", "metadata": "metadata-2", "confidence": "confidence-1",
    ]

    /// The versions that judged a capture: the depth may have been measured before its method changed.
    static func algorithmVersions(_ depth: DepthFindings) -> [String: String] {
        guard let method = depth.measurements?.method else { return algorithmVersions }
        return algorithmVersions.merging(["depth": method]) { $1 }
    }

    /// - Parameters:
    ///   - exif: of the stored photo; `nil` if it is none a reader understands.
    ///   - receivedAt: when the upload was accepted; also when assessed again later.
    public static func assemble(
        attestation: AttestationFindings, depth: DepthFindings, exif: EXIFFields?, metadata: CaptureMetadata, receivedAt: Date,
        completedAt: Date, kind: CaptureKind, analysisSource: AnalysisSource
    ) -> (package: EvidencePackage, confidence: ConfidenceLevel) {
        let hardware = HardwareAttestationEvidence(attestation)
        let depthEvidence = self.depthEvidence(depth, attestation: attestation, source: analysisSource)
        let checks = metadataEvidence(exif, metadata, registeredModel: attestation.deviceModel, receivedAt: receivedAt)
        let confidence = ConfidenceRule.confidence(
            hardware: hardware.status, depth: depthEvidence.status,
            metadata: [checks.timestamp.status, checks.model.status, checks.resolution.status, checks.location.status])
        let package = EvidencePackage(
            type: kind.type, hardwareAttestation: hardware, depthAnalysis: depthEvidence, metadata: checks,
            contentCredentials: contentCredentials(hardware: hardware.status, confidence: confidence),
            analysisSource: analysisSource, mediaStored: kind.mode == .full, algorithmVersions: algorithmVersions(depth),
            processing: ProcessingEvidence(receivedAt: receivedAt, completedAt: completedAt))
        return (package, confidence)
    }

    private static func depthEvidence(
        _ findings: DepthFindings, attestation: AttestationFindings, source: AnalysisSource
    ) -> DepthAnalysisEvidence {
        let binding: AssertionBinding? = if case .pass(let signed) = attestation.appraisal { signed.binding } else { nil }
        let (status, reason) = DepthStatusRule.status(
            verdict: findings.measurements?.verdict, binding: binding, hasLiDAR: hasLiDAR(attestation))
        // The analyzer's word for an open verdict is the more exact one.
        let isOpen = findings.measurements?.verdict != .real && reason != .noLiDAR
        let measured = isOpen ? findings.measurements?.reason : nil
        return DepthAnalysisEvidence(
            status: status, measurements: findings.measurements, source: source,
            reason: measured ?? reason.map(StableWord.init) ?? findings.unavailableReason, previewScale: findings.previewScale)
    }

    private static func hasLiDAR(_ attestation: AttestationFindings) -> Bool {
        attestation.hasLiDAR != false && !IPhoneModels.isWithoutLiDAR(attestation.deviceModel)
    }

    private static func metadataEvidence(
        _ exif: EXIFFields?, _ metadata: CaptureMetadata, registeredModel: String, receivedAt: Date
    ) -> MetadataEvidence {
        let place = metadata.location.flatMap { MetadataChecks.isOnEarth($0) ? CoarseLocation($0, names: .shared) : nil }
        return MetadataEvidence(
            timestamp: MetadataChecks.timestamp(exif, capturedAt: metadata.capturedAt, receivedAt: receivedAt),
            model: MetadataChecks.model(exif: exif?.model, claimed: metadata.deviceModel, registered: registeredModel),
            resolution: MetadataChecks.resolution(exif, claimed: metadata.deviceModel),
            location: MetadataChecks.location(metadata.location), place: place)
    }

    /// SPEC §7: withheld unless the hardware check passed and nothing is suspicious; otherwise still to be made.
    private static func contentCredentials(hardware: CheckStatus, confidence: ConfidenceLevel) -> ContentCredentialsEvidence {
        if confidence == .suspicious { return ContentCredentialsEvidence(status: .withheld, reason: .suspicious) }
        if hardware != .pass { return ContentCredentialsEvidence(status: .withheld, reason: .hardwareNotPassed) }
        return ContentCredentialsEvidence(status: .pending, reason: nil)
    }
}
