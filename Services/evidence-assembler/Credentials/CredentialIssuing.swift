import ContentCredentials
import Models

/// Makes the signed copies of photos and videos.
protocol CredentialIssuing: Sendable {
    /// - Parameters:
    ///   - photo: the public copy, without location and serial numbers; `nil` if none could be made.
    ///   - isTrial: whether to try even while a circuit breaker is open. For captures that wait already.
    /// - Throws: storage errors unchanged.
    func issue(_ claim: CaptureClaim, photo: PublicCopy?, isTrial: Bool) async throws -> Issuing

    /// The same for a video.
    func issue(_ claim: CaptureClaim, video: PublicVideo, isTrial: Bool) async throws -> Issuing
}

extension CredentialIssuing {
    /// Signs what may be published of an original.
    func issue(_ claim: CaptureClaim, _ copy: PublicOriginal, isTrial: Bool) async throws -> Issuing {
        switch copy {
        case .photo(let photo): try await issue(claim, photo: photo, isTrial: isTrial)
        case .video(let video): try await issue(claim, video: video, isTrial: isTrial)
        }
    }
}

/// The result of an attempt to make Content Credentials.
enum Issuing: Sendable {
    case made(IssuedCredentials)
    /// The time-stamp authority does not respond; retry later.
    case noTimestampYet
    /// The signer is unavailable, or its certificate is not valid now; retry later.
    case noSignerYet
    /// The disk has no room for the copy, or fails, which says nothing of the signer; retry later.
    case noRoomYet
    /// There is no public copy, or the library cannot sign it: the capture is completed without credentials. The reason is recorded in the
    /// evidence.
    case notSignable(reason: CredentialsReason)
}
