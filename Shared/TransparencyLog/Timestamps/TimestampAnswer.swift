public import CaptureProtocol
public import Foundation
import SwiftASN1
import X509

/// An authority's answer: a TimeStampResp (RFC 3161 §2.4.2). Nothing in it is trustworthy before
/// ``verify(imprint:nonce:anchors:)``.
public struct TimestampAnswer: Sendable {
    /// Answers of public authorities, with their chains, have 4 to 8 kB.
    public static let maximumBytes = 64 << 10

    /// Whether an anchored authority stamped the digest, and when.
    public enum Verdict: Sendable, Equatable {
        /// - Parameter time: by the authority, when it had the digest.
        case verified(time: Date)
        case rejected(Failure)
    }

    /// In the order in which they are looked for.
    public enum Failure: String, Sendable, CaseIterable {
        /// Another digest was stamped.
        case wrongImprint = "wrong_imprint"
        /// It answers another request.
        case wrongNonce = "wrong_nonce"
        /// None of the token's certificates made the signature.
        case falseSignature = "false_signature"
        /// The signer's certificate is for something else.
        case wrongPurpose = "wrong_purpose"
        /// No chain to an anchor was valid at the time of the token.
        case untrusted
    }

    /// What it claims.
    let info: TimestampInfo
    let signature: TimestampSignature

    /// - Throws: ``BundleError`` if the request was refused, or if this is not a response with a token.
    public init(_ bytes: [UInt8]) throws(BundleError) {
        guard bytes.count <= Self.maximumBytes else { throw BundleError(.tooLarge, "a time-stamp answer has at most 64 KiB") }
        do {
            (info, signature) = try BER.sequence(try BER.parse(bytes), identifier: .sequence) { nodes in
                let status = try BER.sequence(try ASN1Reading.next(&nodes), identifier: .sequence) { nodes in
                    let status = try Int(berEncoded: &nodes)
                    // Texts and reasons for a refusal.
                    while nodes.next() != nil {}
                    return status
                }
                // Granted, and granted with modifications, such as another policy.
                guard status == 0 || status == 1 else { throw ASN1Reading.Malformed.form }
                let signature = try TimestampSignature(try ASN1Reading.next(&nodes))
                return (try TimestampInfo(signature.content), signature)
            }
        } catch {
            throw BundleError(.timestamp, "is not a time-stamp response with a token")
        }
    }

    /// Whether it stamps this digest. Proves nothing by itself.
    public func isOver(_ imprint: ContentDigest) -> Bool {
        info.digestAlgorithm == TimestampAlgorithm.sha256 && info.imprint == imprint.bytes
    }

    /// - Parameters:
    ///   - nonce: of the request; `nil` when it is verified again later.
    ///   - anchors: the chain is verified at the token's own time, so that it outlives the authority's certificate.
    public func verify(imprint: ContentDigest, nonce: [UInt8]?, anchors: TimestampAnchors) async -> Verdict {
        guard isOver(imprint) else { return .rejected(.wrongImprint) }
        if let nonce { guard info.nonce == Array(TimestampRequest.number(nonce)) else { return .rejected(.wrongNonce) } }
        guard let signer = signature.verifiedSigner() else { return .rejected(.falseSignature) }
        guard TimestampPolicy.isForTimestamps(signer) else { return .rejected(.wrongPurpose) }
        let others = signature.certificates.map(\.certificate)
        guard await anchors.vouch(for: signer, among: others, at: info.time) else { return .rejected(.untrusted) }
        return .verified(time: info.time)
    }
}
