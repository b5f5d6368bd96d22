import Crypto
import Foundation

/// The client data hash of a capture's App Attest assertion (SPEC §2). It depends on what the assertion covers.
public enum CaptureClientData {
    private static let captureTag = Array("rial-capture-v2".utf8) + [0]

    /// Covers photo, depth and metadata: what our client sends.
    public static func hash(photo: ContentDigest, depth: ContentDigest, metadata: ContentDigest) -> ContentDigest {
        ContentDigest(of: captureTag + photo.bytes + depth.bytes + metadata.bytes)
    }

    /// The client data hashes that an assertion may be made over, in the order in which they are tried.
    /// - Parameters:
    ///   - photoThenDepth: SHA-256 of the photo's bytes followed by the depth part's; `nil` if it has not been computed yet.
    public static func candidates(
        photo: ContentDigest, depth: ContentDigest?, metadata: ContentDigest, photoThenDepth: ContentDigest?
    ) -> [(binding: AssertionBinding, hash: ContentDigest)] {
        var candidates: [(AssertionBinding, ContentDigest)] = []
        if let depth { candidates.append((.photoDepthMetadata, hash(photo: photo, depth: depth, metadata: metadata))) }
        if let photoThenDepth {
            candidates.append((.photoDepth, ContentDigest(of: photoThenDepth.bytes)))
            candidates.append((.photoDepth, photoThenDepth))
        }
        candidates.append((.photo, photo))
        return candidates
    }
}

/// The client data hash of a hash-only capture's App Attest assertion (SPEC §9): over the payload's bytes as they are sent.
public enum HashOnlyClientData {
    private static let tag = Array("rial-hash-only-v1".utf8) + [0]

    /// SHA-256 over a tag of its own and the payload, so that no other message has this hash.
    public static func hash(payload: [UInt8]) -> ContentDigest { ContentDigest(of: tag + payload) }
}

/// The client data hash of an attestation (SPEC §2): over the challenge and the request key that the attestation vouches for.
public enum RegistrationClientData {
    /// - Parameter requestKey: its public bytes; `nil` if none is registered.
    public static func hash(challenge: [UInt8], requestKey: [UInt8]?) -> ContentDigest {
        ContentDigest(of: challenge + (requestKey ?? []))
    }
}

/// The text that a device signs to authenticate a request (SPEC §2).
public enum RequestMessage {
    /// - Parameters:
    ///   - version: 1 or 2.
    ///   - target: path with query, as sent.
    ///   - timestamp: Unix milliseconds, in digits.
    public static func text(
        version: Int, method: String, target: String, timestamp: String, deviceID: String, bodyDigest: ContentDigest
    ) -> String {
        version == 1
            ? "\(timestamp)|\(bodyDigest.hex)"
            : "rial-request-v2\n\(method)\n\(target)\n\(timestamp)\n\(deviceID)\n\(bodyDigest.hex)"
    }
}
