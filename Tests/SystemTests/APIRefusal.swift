import Foundation
import TestSupport
import Testing

/// The stable error codes of the API (SPEC §2), spelled independently of the sources, as by clients that are not ours.
enum APIRefusal: String, Sendable, CaseIterable, CustomTestStringConvertible {
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
    case notImplemented = "NOT_IMPLEMENTED"
    case storageError = "STORAGE_ERROR"
    case serviceUnavailable = "SERVICE_UNAVAILABLE"

    var testDescription: String { rawValue }

    var status: Int {
        switch self {
        case .validationError, .invalidAttestation, .challengeInvalid: 400
        case .uploadLengthInconsistent, .uploadCompleted, .digestMismatch: 400
        case .deviceAuthRequired, .deviceNotRegistered, .signatureInvalid, .timestampExpired, .attestationFailed: 401
        case .forbidden, .deviceRevoked: 403
        case .captureNotFound, .hashNotFound, .notFound: 404
        case .methodNotAllowed: 405
        case .deviceAlreadyRegistered, .uploadOffsetMismatch, .uploadIncomplete, .notLoggedYet: 409
        case .gone: 410
        case .payloadTooLarge: 413
        case .unsupportedMediaType: 415
        case .unsupportedPlatform, .invalidMetadata, .invalidDepthFormat, .invalidAssertion, .invalidVideo, .invalidHashChain: 422
        case .rateLimited: 429
        case .internalError: 500
        case .notImplemented: 501
        case .storageError, .serviceUnavailable: 503
        }
    }

    /// The codes in the sources of device and server.
    static func inSources() throws -> Set<String> {
        let file = SharedData.projectRoot.appendingPathComponent("Shared/CaptureProtocol/ErrorCode.swift")
        let text = try String(contentsOf: file, encoding: .utf8)
        return Set(text.matches(of: /case \w+ = "([A-Z_]+)"/).map { String($0.1) })
    }

    /// Expects this error in the envelope, and nothing else.
    func expectEnvelope(_ answer: Answer, _ what: String = "", sourceLocation: SourceLocation = #_sourceLocation) {
        let text = "\(what) \(answer.status) \(answer.text.prefix(300))"
        #expect(answer.status == status && answer.errorCode == rawValue, "\(text)", sourceLocation: sourceLocation)
        #expect(answer.headers["content-type"] == "application/json", "\(text)", sourceLocation: sourceLocation)
        #expect(Set(answer.json.keys) == ["error", "meta"], "\(text)", sourceLocation: sourceLocation)
        let error = answer.json["error"] as? [String: Any]
        #expect((error?["message"] as? String)?.isEmpty == false, "\(text)", sourceLocation: sourceLocation)
        let meta = answer.json["meta"] as? [String: Any]
        #expect(meta?["request_id"] as? String == answer.headers["x-request-id"], "\(text)", sourceLocation: sourceLocation)
        #expect((meta?["timestamp"] as? String)?.hasSuffix("Z") == true, "\(text)", sourceLocation: sourceLocation)
        expectHeaders(answer, text, sourceLocation)
    }

    /// Expects this error as problem details (RFC 9457).
    func expectProblem(_ answer: Answer, sourceLocation: SourceLocation = #_sourceLocation) {
        let text = "\(answer.status) \(answer.text.prefix(300))"
        #expect(answer.status == status && answer.json["code"] as? String == rawValue, "\(text)", sourceLocation: sourceLocation)
        #expect(answer.headers["content-type"] == "application/problem+json", "\(text)", sourceLocation: sourceLocation)
        #expect(answer.json["status"] as? Int == status, "\(text)", sourceLocation: sourceLocation)
        for field in ["type", "title", "detail"] {
            #expect((answer.json[field] as? String)?.isEmpty == false, "\(field) \(text)", sourceLocation: sourceLocation)
        }
        let id = answer.headers["x-request-id"] ?? "none"
        #expect(answer.json["instance"] as? String == "urn:uuid:\(id)", "\(text)", sourceLocation: sourceLocation)
        expectHeaders(answer, text, sourceLocation)
    }

    private func expectHeaders(_ answer: Answer, _ text: String, _ sourceLocation: SourceLocation) {
        #expect(answer.headers["cache-control"] == "no-store", "\(text)", sourceLocation: sourceLocation)
        switch self {
        case .rateLimited, .storageError, .serviceUnavailable, .notLoggedYet:
            #expect((Int(answer.headers["retry-after"] ?? "") ?? 0) > 0, "\(text)", sourceLocation: sourceLocation)
        case .methodNotAllowed: #expect(answer.headers["allow"]?.isEmpty == false, "\(text)", sourceLocation: sourceLocation)
        default: break
        }
    }
}
