import CaptureProtocol
import HTTPTypes
import Multipart
import Persistence
import Testing

@testable import Gateway

@Suite("Responses to refusals")
struct RefusalTests {
    struct Case: Sendable {
        let error: any Error
        let code: ErrorCode
        var field: String?
        var retryAfter: String?
    }

    private static let rule = BucketRule(name: "test", burst: 3, perSecond: 0.5)

    static let cases = [
        Case(error: AuthenticationError.missingHeaders(["X-Device-Id"]), code: .deviceAuthRequired, field: "X-Device-Id"),
        Case(
            error: AuthenticationError.unsupportedVersion(allowed: "2"), code: .signatureInvalid, field: "X-Device-Signature-Version"),
        Case(error: AuthenticationError.unknownDevice, code: .deviceNotRegistered),
        Case(error: AuthenticationError.revokedDevice, code: .deviceRevoked),
        Case(error: AuthenticationError.timestampExpired, code: .timestampExpired),
        Case(error: AuthenticationError.invalidSignature, code: .signatureInvalid),
        Case(error: RegistrationError.invalid(field: "model", problem: "is missing"), code: .validationError, field: "model"),
        Case(error: RegistrationError.unsupportedPlatform, code: .unsupportedPlatform, field: "platform"),
        Case(error: RateLimitExceeded(rule, tokens: 0), code: .rateLimited, retryAfter: "2"),
        Case(error: ConcurrencyLimit.Exceeded(kind: "uploads", limit: .device), code: .rateLimited, retryAfter: "5"),
        Case(error: ConcurrencyLimit.Exceeded(kind: "uploads", limit: .address), code: .rateLimited, retryAfter: "5"),
        Case(error: ConcurrencyLimit.Exceeded(kind: "uploads", limit: .total), code: .serviceUnavailable, retryAfter: "1"),
        Case(error: VerificationPermits.Busy(), code: .serviceUnavailable, retryAfter: "5"),
        Case(error: VerificationError.fileTooLarge, code: .payloadTooLarge),
        Case(error: VerificationError.unsupportedFormat, code: .unsupportedMediaType),
        Case(error: VerificationError.inspectorsUnavailable, code: .serviceUnavailable, retryAfter: "30"),
        Case(error: NoScratchSpace(), code: .serviceUnavailable, retryAfter: "5"),
        Case(error: CaptureError.invalid("photo", "is not a JPEG", .mediaType), code: .unsupportedMediaType, field: "photo"),
        Case(error: CaptureError.invalid("depth_map", "is missing"), code: .validationError, field: "depth_map"),
        Case(error: CaptureError.tooLarge(SizeLimits.capture), code: .payloadTooLarge),
        Case(error: CaptureError.tooLarge(SizeLimits.videoCapture), code: .payloadTooLarge),
        Case(error: CaptureError.videoTooLarge, code: .payloadTooLarge),
        Case(error: CaptureError.intakeExpired, code: .serviceUnavailable, retryAfter: "1"),
        Case(error: CaptureError.withdrawnMeanwhile, code: .serviceUnavailable, retryAfter: "5"),
        Case(error: CaptureError.clocksDiffer, code: .serviceUnavailable, retryAfter: "60"),
        Case(error: MultipartError.notMultipart, code: .unsupportedMediaType),
        Case(error: MultipartError.badBoundary, code: .validationError, field: "Content-Type"),
        Case(error: MultipartError.truncated, code: .validationError, field: "body"),
        Case(error: BodyPace.Failure.slow, code: .serviceUnavailable, retryAfter: "1"),
    ]

    @Test("each refusal has its code, the field that it is about, and when to come again", arguments: cases)
    func response(sample: Case) throws {
        let response = try #require(APIError(refusal: sample.error))
        #expect(response.code == sample.code && response.headers[.retryAfter] == sample.retryAfter)
        #expect(response.details.map(\.field) == [sample.field].compactMap(\.self))
    }

    @Test("a client that is limited learns what its limit is")
    func allowance() throws {
        let headers = try #require(APIError(refusal: RateLimitExceeded(Self.rule, tokens: 0))).headers
        #expect(headers[.rateLimitLimit] == "3" && headers[.rateLimitRemaining] == "0" && headers[.rateLimitReset] == "6")
    }

    @Test("the limit of an unknown part is named in KiB")
    func unknownPart() {
        let refusal = APIError(refusal: VerificationError.partTooLarge(name: "x"))
        #expect(refusal?.details.map(\.problem) == ["is unknown and larger than 64 KiB"])
    }

    @Test("what is no refusal has no response of its own")
    func failure() {
        let unreadable = PostgresError(code: .decoding, message: "a row")
        for error in [CancellationError(), unreadable] as [any Error] { #expect(APIError(refusal: error)?.code == nil) }
    }
}
