/// Why a capture is refused.
enum CaptureError: Error, Equatable, Sendable {
    /// What is wrong, which has a code of its own in the API.
    enum Subject: Sendable {
        case body, mediaType, metadata, assertion, depth
    }

    /// - Parameter field: a part of the body, or a field of the metadata.
    case invalid(_ field: String, _ problem: String, _ subject: Subject = .body)
    /// Larger than ``SizeLimits/capture``.
    case tooLarge
    /// Its intake was swept meanwhile.
    case intakeExpired
    /// The same upload is being recorded by another request.
    case beingRecorded
}
