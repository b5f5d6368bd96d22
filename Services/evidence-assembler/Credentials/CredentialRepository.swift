import CaptureProtocol
import Foundation
import Models

/// A complete capture whose Content Credentials wait for a time stamp.
struct WaitingCapture: Sendable {
    let package: EvidencePackage
    let confidence: ConfidenceLevel
    let capturedAt: Date
    let parts: EvidenceParts
}

/// A manifest whose digests were not recorded.
struct UndigestedCredentials: Sendable {
    let capture: CaptureID
    let manifestID: String
    let certificateSerial: String
    /// `nil` if no object is named.
    let manifest: StoredMedia?
}

/// The manifests that were made, and the captures that wait for theirs.
protocol CredentialRepository: Sendable {
    /// Longest waiting first.
    func waiting(limit: Int) async throws -> [CaptureID]

    /// `nil` if the capture does not wait any more.
    func find(_ capture: CaptureID) async throws -> WaitingCapture?

    /// Names the signed copy of a capture that waits, or says why there is none. The first of two that do so at once counts.
    /// - Parameter outcome: credentials, or the reason for which there can be none.
    /// - Returns: what the evidence says now; `nil` if the capture does not wait any more, or is being settled by another instance.
    func settle(
        _ capture: CaptureID, _ outcome: Result<IssuedCredentials, NotSignable>
    ) async throws -> ContentCredentialsEvidence?

    /// In the order of their captures, after the given one.
    func withoutDigests(after last: CaptureID?, limit: Int) async throws -> [UndigestedCredentials]

    func countWithoutDigests() async throws -> Int64

    /// Keeps the first digests; later ones change nothing.
    func save(_ capture: CaptureID, leaf: ContentDigest, manifest: ContentDigest) async throws
}

/// The capture goes on without Content Credentials.
struct NotSignable: Error {
    let reason: CredentialsReason
}
