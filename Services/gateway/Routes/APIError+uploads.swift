import CaptureProtocol
import HTTPTypes

extension APIError {
    init(_ error: UploadError) {
        switch error {
        case .fields(let fields):
            self.init(
                .validationError, "The upload's fields are not complete or not valid.",
                details: fields.map { Detail(field: $0.name, problem: $0.problem) })
        case .notPartialUpload:
            self = .invalid("Content-Type", "must be \(UploadHeader.partialType)", code: .unsupportedMediaType)
        case .unknown: self.init(.notFound, "There is no such upload.")
        case .gone: self.init(.gone, "The upload has ended; begin a new one.")
        case .offsetMismatch(let expected, let provided):
            self.init(
                .uploadOffsetMismatch,
                provided == nil ? "The upload was continued by another request." : "The upload has another offset.",
                headers: [.uploadOffset: String(expected)])
            problem = Problem(
                type: Self.problems + "mismatching-upload-offset", title: "Upload offset does not match", expectedOffset: expected,
                providedOffset: provided)
        case .inconsistentLength:
            self.init(.uploadLengthInconsistent, "The lengths of upload and content contradict each other.")
            problem = Problem(type: Self.problems + "inconsistent-upload-length", title: "Upload length is inconsistent")
        case .completed(let capture):
            self.init(.uploadCompleted, "The upload is complete.", headers: [.contentLocation: APIPath.capture(capture)])
            problem = Problem(type: Self.problems + "completed-upload", title: "Upload is complete")
        case .incomplete: self.init(.uploadIncomplete, "The upload is not complete yet.")
        case .digestMismatch: self.init(.digestMismatch, "The body is not the one that was signed; begin a new upload.")
        case .tooMany(let seconds):
            self = .retryLater(.rateLimited, "The device has too many open uploads.", seconds: seconds)
        case .interrupted: self.init(.validationError, "The body ended before it was complete.")
        }
    }

    private static let problems = "https://iana.org/assignments/http-problem-types#"
}
