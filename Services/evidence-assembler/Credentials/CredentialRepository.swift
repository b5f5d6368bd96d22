import CaptureProtocol
import Foundation
import Models

/// A complete capture whose Content Credentials wait for a time stamp.
struct CaptureAwaitingCredentials: Sendable {
    let package: EvidencePackage
    let confidence: ConfidenceLevel
    /// `nil` if this version cannot read it, or if the capture's row does not fit it: nothing is signed for such a capture.
    let announcement: CaptureAnnouncement?
    let parts: EvidenceParts

    /// When it was captured; `nil` if this version cannot read that.
    var capturedAt: Date? { announcement?.capturedAt(in: package)?.date }

    func hasVerdict(_ package: EvidencePackage, _ confidence: ConfidenceLevel) -> Bool {
        self.package == package && self.confidence == confidence
    }
}

/// A manifest without recorded digests.
struct UndigestedCredentials: Sendable {
    let capture: CaptureID
    let manifestID: String
    let certificateSerial: String
    /// `nil` if no row names the manifest's object.
    let manifest: StoredMedia?
}

/// The issued manifests, and the captures that wait for theirs. A capture that was revoked with its device waits for nothing until the
/// device is restored: others trust a signed copy, also where nobody tells them that its verdict was taken back.
protocol CredentialRepository: Sendable {
    /// Up to `limit` videos and as many others, longest waiting first.
    func waiting(limit: Int) async throws -> WaitingCaptures

    /// `nil` if the capture no longer waits.
    func find(_ capture: CaptureID) async throws -> CaptureAwaitingCredentials?

    /// Records the signed copy of a waiting capture, with a statement, or why there is none. Of two concurrent calls the first wins.
    /// - Parameters:
    ///   - waiting: as it was found, whose verdict the signed copy states.
    ///   - outcome: the credentials, or the reason why there are none.
    /// - Returns: the evidence now recorded; `nil` if the capture no longer waits, was revoked, has another verdict now, or another
    ///   instance is settling it.
    func settle(
        _ capture: CaptureID, _ waiting: CaptureAwaitingCredentials, _ outcome: Result<IssuedCredentials, NotSignable>
    ) async throws -> ContentCredentialsEvidence?

    /// Ordered by capture id, after the given one.
    func withoutDigests(after last: CaptureID?, limit: Int) async throws -> [UndigestedCredentials]

    func countWithoutDigests() async throws -> Int64

    /// Saves the first digests; later ones change nothing.
    func save(_ capture: CaptureID, leaf: ContentDigest, manifest: ContentDigest) async throws
}

/// The capture is completed without Content Credentials.
struct NotSignable: Error {
    let reason: CredentialsReason
}
