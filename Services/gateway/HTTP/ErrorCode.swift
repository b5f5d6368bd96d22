import HTTPTypes

/// The API's stable error codes and their HTTP statuses (SPEC §2).
enum ErrorCode: String, Sendable, CaseIterable {
    case validationError = "VALIDATION_ERROR"
    case invalidAttestation = "INVALID_ATTESTATION"
    case challengeInvalid = "CHALLENGE_INVALID"
    case deviceAuthRequired = "DEVICE_AUTH_REQUIRED"
    case deviceNotRegistered = "DEVICE_NOT_REGISTERED"
    case signatureInvalid = "SIGNATURE_INVALID"
    case timestampExpired = "TIMESTAMP_EXPIRED"
    case attestationFailed = "ATTESTATION_FAILED"
    case forbidden = "FORBIDDEN"
    case deviceRevoked = "DEVICE_REVOKED"
    case uploadOffsetMismatch = "UPLOAD_OFFSET_MISMATCH"
    case uploadIncomplete = "UPLOAD_INCOMPLETE"
    case uploadLengthInconsistent = "UPLOAD_LENGTH_INCONSISTENT"
    case uploadCompleted = "UPLOAD_COMPLETED"
    case digestMismatch = "DIGEST_MISMATCH"
    case captureNotFound = "CAPTURE_NOT_FOUND"
    case hashNotFound = "HASH_NOT_FOUND"
    case notFound = "NOT_FOUND"
    case methodNotAllowed = "METHOD_NOT_ALLOWED"
    case deviceAlreadyRegistered = "DEVICE_ALREADY_REGISTERED"
    case payloadTooLarge = "PAYLOAD_TOO_LARGE"
    case unsupportedMediaType = "UNSUPPORTED_MEDIA_TYPE"
    case unsupportedPlatform = "UNSUPPORTED_PLATFORM"
    case invalidMetadata = "INVALID_METADATA"
    case invalidDepthFormat = "INVALID_DEPTH_FORMAT"
    case invalidAssertion = "INVALID_ASSERTION"
    case invalidVideo = "INVALID_VIDEO"
    case invalidHashChain = "INVALID_HASH_CHAIN"
    case notLoggedYet = "NOT_LOGGED_YET"
    case gone = "GONE"
    case rateLimited = "RATE_LIMITED"
    case internalError = "INTERNAL_ERROR"
    case storageError = "STORAGE_ERROR"
    case serviceUnavailable = "SERVICE_UNAVAILABLE"

    var status: HTTPResponse.Status {
        switch self {
        case .validationError, .invalidAttestation, .challengeInvalid: .badRequest
        case .uploadLengthInconsistent, .uploadCompleted, .digestMismatch: .badRequest
        case .deviceAuthRequired, .deviceNotRegistered, .signatureInvalid, .timestampExpired, .attestationFailed: .unauthorized
        case .forbidden, .deviceRevoked: .forbidden
        case .captureNotFound, .hashNotFound, .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .deviceAlreadyRegistered, .uploadOffsetMismatch, .uploadIncomplete, .notLoggedYet: .conflict
        case .payloadTooLarge: .contentTooLarge
        case .unsupportedMediaType: .unsupportedMediaType
        case .unsupportedPlatform, .invalidMetadata, .invalidDepthFormat, .invalidAssertion: .unprocessableContent
        case .invalidVideo, .invalidHashChain: .unprocessableContent
        case .gone: .gone
        case .rateLimited: .tooManyRequests
        case .internalError: .internalServerError
        case .storageError, .serviceUnavailable: .serviceUnavailable
        }
    }
}
