import CaptureProtocol
import HTTPTypes

extension ErrorCode {
    /// The HTTP status of an answer with this code (SPEC §2).
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
        case .notImplemented: .notImplemented
        case .storageError, .serviceUnavailable: .serviceUnavailable
        }
    }
}
