import Attestation
import ContentCredentials
import Foundation
import TransparencyLog

/// Verifies an evidence bundle with everything that this machine can compute, and without a network.
struct BundleCheck {
    let policy: TrustPolicy
    let timestampAnchors: TimestampAnchors?
    let roots: TrustRoots
    let credentials: CredentialReader

    func report(on bundle: [UInt8], files: [GivenFile]) async -> BundleReport {
        let credentials = CredentialExaminer(reader: credentials)
        let device = DeviceExaminer(appraisal: RepeatedAppraisal(roots: roots))
        let examiners = BundleExaminers(
            confidence: { ConfidenceExaminer.confidence(of: $0) },
            contentCredentials: { credentials.finding($0) },
            device: { device.findings($0) },
            depth: { DepthExaminer.finding($0) })
        return await BundleVerifier(policy: policy, anchors: timestampAnchors, examiners: examiners).verify(bundle, files: files)
    }
}
