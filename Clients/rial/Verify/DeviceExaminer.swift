import Attestation
import CaptureProtocol
import Models
import TransparencyLog

/// Verifies the attestation of an owner's bundle, and the hardware's signature by its key.
struct DeviceExaminer: Sendable {
    let appraisal: RepeatedAppraisal

    func findings(_ question: DeviceQuestion) -> DeviceFindings {
        guard let attestation = question.owner.attestation, let assertion = question.owner.assertion,
            let clientDataHash = question.owner.clientDataHash
        else { return DeviceFindings(attestation: .notChecked(Self.absent), assertion: .notChecked(Self.absent)) }
        let key: RepeatedAppraisal.AttestedKey
        do {
            key = try appraisal.key(attestedBy: attestation, clientDataHash: clientDataHash.bytes)
        } catch .certificateChain {
            return DeviceFindings(
                attestation: .untrusted("No root that is trusted here vouches for the device's attestation."),
                assertion: .notChecked("The hardware's signature was not checked, since its key is not vouched for."))
        } catch {
            return DeviceFindings(
                attestation: .failed("The device's attestation does not hold: \(error.rawValue)."),
                assertion: .notChecked("The hardware's signature was not checked, since its key is not vouched for."))
        }
        let maker = key.isDevelopmentRoot ? "a development root, not Apple" : "Apple"
        return DeviceFindings(
            attestation: .passed("A key in the hardware of a device was attested by \(maker); for which app was not checked."),
            assertion: verdict(assertion, by: key, question))
    }

    private func verdict(_ assertion: [UInt8], by key: RepeatedAppraisal.AttestedKey, _ question: DeviceQuestion) -> Finding {
        let hashes = question.clientDataHashes + recorded(question)
        // For an older binding not all candidates may be known: one over photo and depth needs both, and the bundle may not have them.
        guard let binding = question.binding, hashes.contains(where: { $0.binding == binding }) else {
            return .notChecked("The hardware's signature was not checked: not all that it covers is in the bundle.")
        }
        switch appraisal.verdict(on: assertion, by: key, candidates: hashes.map(\.hash.bytes)) {
        case .verified(_, let index) where hashes[index].binding == binding:
            return .passed("The hardware signed \(binding.rawValue), as the evidence says.")
        case .verified(_, let index):
            return .failed("The hardware signed \(hashes[index].binding.rawValue), not \(binding.rawValue).")
        case .rejected(let failure): return .failed("The hardware's signature does not hold: \(failure.reason.rawValue).")
        }
    }

    /// What the hardware signed at the end of a recording. Of one that broke off it signed a checkpoint, which is not in the bundle.
    private func recorded(_ question: DeviceQuestion) -> [(binding: AssertionBinding, hash: ContentDigest)] {
        let digests = question.owner.raw.digests
        guard question.kind == .video, let video = digests[.video], let depth = digests[.depth], let metadata = digests[.metadata],
            let chain = digests[.hashChain]
        else { return [] }
        return [(.videoDepthMetadata, VideoClientData.final(video: video, depth: depth, metadata: metadata, hashChain: chain))]
    }

    private static let absent = "The bundle does not have what the hardware signed."
}
