import ContentCredentials

/// Signs photos and videos in threads of their own, so that photos do not wait behind videos, and one video at a time: the library holds
/// about its size in memory.
struct CredentialIssuers: CredentialIssuing {
    let photos: CredentialIssuer
    let videos: CredentialIssuer

    func issue(_ claim: CaptureClaim, photo: PublicCopy?, isTrial: Bool) async throws -> Issuing {
        try await photos.issue(claim, photo: photo, isTrial: isTrial)
    }

    func issue(_ claim: CaptureClaim, video: PublicVideo, isTrial: Bool) async throws -> Issuing {
        try await videos.issue(claim, video: video, isTrial: isTrial)
    }
}
