import CaptureProtocol

/// Why a capture is rejected.
enum CaptureError: RecordingRefusal, Equatable, Sendable {
    /// What is invalid; each has its own API error code.
    enum Subject: Sendable {
        case body, mediaType, metadata, assertion, depth, video, hashChain
    }

    /// - Parameter field: a part of the body, or a field of the metadata.
    case invalid(_ field: String, _ problem: String, _ subject: Subject = .body)
    /// The body is larger than this many bytes.
    case tooLarge(Int)
    /// A video larger than ``SizeLimits/videoPart``.
    case videoTooLarge
    /// A hash-only body larger than ``SizeLimits/hashOnlyBody``, or its payload than ``SizeLimits/hashOnlyPayload``.
    case hashOnlyTooLarge
    /// The device is not verified, or its assertion does not verify over a hash-only payload.
    case assertionUnverified
    /// Its intake was swept in the meantime.
    case intakeExpired
    /// The same upload is being recorded by another request.
    case beingRecorded
    /// Its device has withdrawn a capture since the request began, perhaps of the same upload.
    case withdrawnMeanwhile
    /// The database's clock and the gateway's differ too much to say when it was received.
    case clocksDiffer

    static func invalid(part: UploadPart, _ problem: String, _ subject: Subject = .body) -> CaptureError {
        .invalid(part.rawValue, problem, subject)
    }
}
