import Attestation
import CaptureProtocol

enum CaptureAssertionVerdict: Equatable {
    case verified(counter: UInt32, binding: AssertionBinding, extensions: AttestationExtensions)
    case rejected(AssertionFailure)
}

/// Tries the bindings of a capture against one assertion.
struct CaptureAssertionAppraiser {
    let publicKeyX963: [UInt8]
    /// The app the device's key was attested for.
    let appID: String

    /// - Parameter candidates: what the assertion may be over, in the order to try.
    func appraise(
        _ assertion: [UInt8], candidates: [(binding: AssertionBinding, hash: ContentDigest)]
    ) -> CaptureAssertionVerdict {
        let verdict = AssertionAppraiser(appIDs: [appID]).appraise(
            assertion, publicKeyX963: publicKeyX963, candidates: candidates.map(\.hash.bytes))
        switch verdict {
        case .verified(let verified, let index):
            // Attestation used counter 0: an assertion that claims it was not made by a Secure Enclave.
            guard verified.counter > 0 else { return .rejected(.counterReplay) }
            return .verified(counter: verified.counter, binding: candidates[index].binding, extensions: verified.extensions)
        case .rejected(let failure):
            return .rejected(failure)
        }
    }
}
