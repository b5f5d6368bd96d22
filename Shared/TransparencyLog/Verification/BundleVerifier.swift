import CaptureProtocol

/// Verifies bundles offline (SPEC §14 "Verifying, in this order").
public struct BundleVerifier: Sendable {
    /// What clocks may differ by: a statement is not witnessed or stamped this much before its time, in seconds.
    public static let clockTolerance = 300

    private let policy: TrustPolicy
    private let anchors: TimestampAnchors?
    private let examiners: BundleExaminers

    /// - Parameters:
    ///   - policy: the verifier's own, never the bundle's.
    ///   - anchors: of time-stamp authorities; without them tokens are not looked at, and the report says so.
    public init(policy: TrustPolicy, anchors: TimestampAnchors? = nil, examiners: BundleExaminers = BundleExaminers()) {
        self.policy = policy
        self.anchors = anchors
        self.examiners = examiners
    }

    /// - Parameters:
    ///   - bytes: a `.rial`.
    ///   - files: to be found in the last verdict.
    public func verify(_ bytes: [UInt8], files: [GivenFile] = []) async -> BundleReport {
        do throws(BundleError) {
            let bundle = try EvidenceBundle(bytes)
            var proven: [ProvenStatement] = []
            for logged in bundle.statements { proven.append(try ProvenStatement(logged)) }
            return await report(bundle, proven, files)
        } catch {
            let check = BundleReport.Check(.form, .failed("This is not a bundle: \(error.message)"))
            return BundleReport(
                checks: [check], capture: nil, verdict: nil, isMetadataSigned: false, isDevelopmentAttestation: false, entry: nil,
                revocation: nil)
        }
    }

    private func report(_ bundle: EvidenceBundle, _ proven: [ProvenStatement], _ files: [GivenFile]) async -> BundleReport {
        var checks = [BundleReport.Check(.form, .passed("The bundle has the one form that bundles have."))]
        var last: (verdict: Verdict, evidence: [UInt8], entry: BundleReport.Entry)?
        var revocation: BundleReport.Revocation?
        // The statement that says that the verdict was taken back, if nobody vouches for it: anyone can write that.
        var claim: Int?
        // When witnesses first saw a statement with the manifest store, by the store's digest.
        var storesSeenAt: [ContentDigest: UInt64] = [:]
        for (index, statement) in proven.enumerated() {
            var verification = StatementVerification(statement, policy: policy, anchors: anchors, confidence: examiners.confidence)
            await verification.run(at: index, after: index > 0 ? proven[index - 1] : nil)
            checks += verification.checks
            switch statement.statement.content {
            case .assessment(let verdict), .credentials(let verdict), .reassessment(let verdict):
                if let store = verdict.files[BundleEntry.manifest.name], let seconds = verification.witnessedAt,
                    !verification.checks.contains(where: \.finding.isFailed)
                {
                    storesSeenAt[store] = min(storesSeenAt[store] ?? seconds, seconds)
                }
                // A revocation that is vouched for stands until a verdict that is vouched for too.
                guard verification.isVouchedFor || revocation == nil else { continue }
                let entry = BundleReport.Entry(
                    origin: statement.checkpoint.origin, index: statement.proof.index, treeSize: statement.checkpoint.size,
                    witnessedAt: verification.witnessedAt, stampedAt: verification.stampedAt)
                last = (verdict, statement.logged.evidence ?? [], entry)
                revocation = nil
                claim = nil
            case .revocation(let reason):
                guard verification.isVouchedFor else {
                    claim = statement.statement.sequence
                    continue
                }
                revocation = .init(reason: reason, sequence: statement.statement.sequence, time: statement.statement.time)
            }
        }
        if let revocation {
            checks.append(.init(.standing, .failed("Statement \(revocation.sequence) takes the verdict back: \(revocation.reason).")))
        } else if let claim {
            let sentence = "Statement \(claim) says that the verdict was taken back, but nobody who is trusted here vouches for it."
            checks.append(.init(.standing, .untrusted(sentence)))
        } else {
            checks.append(.init(.standing, .passed("No statement of the bundle takes the verdict back.")))
        }
        if let last {
            let store = last.verdict.files[BundleEntry.manifest.name]
            let content = ContentVerification(
                bundle, last.verdict, evidence: last.evidence, storeSeenAt: store.flatMap { storesSeenAt[$0] })
            checks += await content.checks(files, examiners)
        }
        let evidence = last.flatMap { CheckedEvidence($0.evidence) }
        return BundleReport(
            checks: checks, capture: proven.first?.statement.capture, verdict: last?.verdict,
            isMetadataSigned: evidence?.coversMetadata ?? false,
            isDevelopmentAttestation: evidence?.isDevelopmentAttestation ?? false, entry: last?.entry, revocation: revocation)
    }
}
