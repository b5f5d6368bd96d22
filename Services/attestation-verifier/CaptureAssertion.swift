import Attestation
import Crypto
import Models

/// Crypto has a protocol of this name; here it is always a SHA-256.
typealias Digest = Models.Digest

/// What a capture's hardware signature may cover (SPEC §2), from the digests of its parts.
struct CaptureDigests {
    let photo: Digest?
    let depth: Digest?
    let metadata: Digest?
    let photoThenDepth: Digest?

    init(_ message: CaptureAnnouncement, photoThenDepth: Digest? = nil) {
        photo = message.intake.photo?.sha256
        depth = message.intake.depth?.sha256
        metadata = Digest(bytes: SHA256.hash(data: message.metadata.bytes))
        self.photoThenDepth = photoThenDepth ?? message.intake.photoThenDepth
    }

    /// The client data hashes to try, in order.
    var candidates: [(binding: AssertionBinding, clientDataHash: [UInt8])] {
        var candidates: [(AssertionBinding, [UInt8])] = []
        if let photo, let depth, let metadata {
            let message = Array("rial-capture-v2".utf8) + [0] + photo.bytes + depth.bytes + metadata.bytes
            candidates.append((.photoDepthMetadata, Array(SHA256.hash(data: message))))
        }
        if let photoThenDepth {
            candidates.append((.photoDepth, Array(SHA256.hash(data: photoThenDepth.bytes))))
            candidates.append((.photoDepth, photoThenDepth.bytes))
        }
        if let photo { candidates.append((.photo, photo.bytes)) }
        return candidates
    }
}

enum CaptureAssertionVerdict: Equatable {
    case verified(counter: UInt32, binding: AssertionBinding, extensions: AttestationExtensions)
    case rejected(AssertionFailure)
}

/// Tries the bindings of a capture against one assertion.
struct CaptureAssertionAppraiser {
    let publicKeyX963: [UInt8]
    /// The app the device's key was attested for.
    let appID: String

    func appraise(_ assertion: [UInt8], digests: CaptureDigests) -> CaptureAssertionVerdict {
        let candidates = digests.candidates
        let verdict = AssertionAppraiser(appIDs: [appID]).appraise(
            assertion, publicKeyX963: publicKeyX963, candidates: candidates.map(\.clientDataHash))
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
