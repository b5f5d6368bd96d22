import CaptureProtocol

/// The checks of an owner's bundle.
struct OwnerVerification {
    private let owner: EvidenceBundle.OwnerParts
    private let verdict: Verdict
    private let evidence: [UInt8]

    init(_ owner: EvidenceBundle.OwnerParts, _ verdict: Verdict, evidence: [UInt8]) {
        self.owner = owner
        self.verdict = verdict
        self.evidence = evidence
    }

    func checks(_ examiners: BundleExaminers) async -> [BundleReport.Check] {
        let raw = raw
        var checks = [BundleReport.Check(.raw, raw)]
        // What is not what the device sent is no question for anybody.
        guard !raw.isFailed else { return checks }
        let device = await device(examiners)
        checks.append(.init(.attestation, device.attestation))
        checks.append(.init(.assertion, device.assertion))
        if owner.raw.digests[.depth] != nil { checks.append(.init(.depth, await depth(examiners))) }
        return checks
    }

    /// The parts that are there, under the names by which `raw` commits to them.
    private var parts: [RawParts.Name: [UInt8]] {
        var parts: [RawParts.Name: [UInt8]] = [:]
        parts[.assertion] = owner.assertion
        parts[.attestation] = owner.attestation
        parts[.photo] = owner.photo
        parts[.depth] = owner.depth
        switch owner.signed {
        case .metadata(let bytes)?: parts[.metadata] = bytes
        case .payload(let bytes)?: parts[.payload] = bytes
        case nil: break
        }
        return parts
    }

    private var raw: Finding {
        guard owner.raw.digest == verdict.raw else { return .failed("What the device sent is not what the statement commits to.") }
        let strange = parts.filter { owner.raw.digests[$0.key] != ContentDigest(of: $0.value) }
        guard strange.isEmpty else {
            return .failed("Not what the device sent: \(strange.keys.map(\.rawValue).sorted().joined(separator: ", ")).")
        }
        guard isOfTheOriginal else { return .failed("What the device sent is of another original than the verdict.") }
        return .passed("What the device sent is what the statement commits to.")
    }

    private var isOfTheOriginal: Bool {
        switch verdict.kind {
        case .photo: return owner.raw.digests[.photo] == verdict.media
        case .video: return owner.raw.digests[.video] == verdict.media
        case .hashOnly, .hashOnlyVideo:
            guard case .payload(let bytes)? = owner.signed else { return true }
            return (try? HashOnlyPayload.parse(accepted: bytes))?.mediaHash == verdict.media
        }
    }

    private func device(_ examiners: BundleExaminers) async -> DeviceFindings {
        guard let checked = CheckedEvidence(evidence), checked.hardware == .pass else {
            let sentence = "The evidence does not say that the hardware's signature held, so it was not checked."
            return DeviceFindings(attestation: .notChecked(sentence), assertion: .notChecked(sentence))
        }
        guard owner.attestation != nil, owner.assertion != nil, owner.clientDataHash != nil, let examine = examiners.device else {
            return DeviceFindings(
                attestation: .notChecked("The device's attestation was not checked."),
                assertion: .notChecked("The hardware's signature was not checked."))
        }
        return await examine(
            DeviceQuestion(kind: verdict.kind, owner: owner, clientDataHashes: clientDataHashes, binding: checked.binding))
    }

    private var clientDataHashes: [(binding: AssertionBinding, hash: ContentDigest)] {
        let digests = owner.raw.digests
        switch verdict.kind {
        case .photo:
            guard let photo = digests[.photo], let metadata = digests[.metadata] else { return [] }
            let both = owner.photo.flatMap { photo in owner.depth.map { ContentDigest(of: photo + $0) } }
            return CaptureClientData.candidates(photo: photo, depth: digests[.depth], metadata: metadata, photoThenDepth: both)
        case .hashOnly, .hashOnlyVideo:
            guard case .payload(let bytes)? = owner.signed else { return [] }
            return [(.payload, HashOnlyClientData.hash(payload: bytes))]
        case .video: return []
        }
    }

    private func depth(_ examiners: BundleExaminers) async -> Finding {
        guard let depth = owner.depth, let examine = examiners.depth else { return .notChecked("The depth was not analysed again.") }
        return await examine(DepthQuestion(kind: verdict.kind, depth: depth, owner: owner, evidence: evidence))
    }
}
