import CaptureProtocol

/// Why a request on a resumable upload is refused (SPEC §2, "Uploads that resume").
enum UploadError: RecordingRefusal, Equatable, Sendable {
    /// Fields that are missing, malformed or have unsupported values.
    case fields([Field])
    /// The content of a `PATCH` is not `application/partial-upload`.
    case notPartialUpload
    /// There is no such upload.
    case unknown
    /// Expired, cancelled or ended.
    case gone
    /// - Parameters:
    ///   - expected: how much of the body is stored.
    ///   - provided: where the request begins; `nil` for one that was overtaken by another.
    case offsetMismatch(expected: Int64, provided: Int64?)
    /// Lengths contradict each other, or there are more bytes than the upload's length.
    case inconsistentLength
    /// The upload is complete.
    case completed(CaptureID)
    /// The upload's answer is asked for before it is complete.
    case incomplete
    /// The body is not the one that was signed.
    case digestMismatch
    /// The device has too many open uploads; the first expires after this many seconds.
    case tooMany(retrySeconds: Int)
    /// The connection ended before the body did. What came is stored.
    case interrupted

    struct Field: Sendable, Equatable {
        let name: String
        let problem: String
    }
}
