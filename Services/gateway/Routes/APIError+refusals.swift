import CaptureProtocol
import HTTPTypes
import Models
import Multipart

extension APIError {
    /// The response to a rejected request; `nil` if the error is not a rejection.
    init?(refusal error: any Error) {
        switch error {
        case let error as APIError: self = error
        case let error as AuthenticationError: self.init(error)
        case let error as RegistrationError: self.init(error)
        case let error as RateLimitExceeded: self.init(error)
        case let error as ConcurrencyLimit.Exceeded: self.init(error)
        case is VerificationPermits.Busy:
            self = .retryLater(.serviceUnavailable, "Too many files at the moment; try again.", seconds: 5)
        case let error as VerificationError: self.init(error)
        case is NoScratchSpace:
            self = .retryLater(.serviceUnavailable, "There is no room for the file at the moment; try again.", seconds: 5)
        case let error as CaptureError: self.init(error)
        case let error as UploadError: self.init(error)
        case let error as NotLogged: self.init(error)
        case let error as WithdrawnCapture: self.init(withdrawnAt: error.withdrawnAt)
        case let error as BodyPace.Failure: self.init(error)
        case let error as MultipartError: self.init(error)
        default: return nil
        }
    }

    private init(_ error: AuthenticationError) {
        switch error {
        case .missingHeaders(let names):
            self.init(
                .deviceAuthRequired, "This request must be signed by a registered device.",
                details: names.map { Detail(field: $0, problem: "is missing") })
        case .unsupportedVersion(let allowed):
            self = .invalid(DeviceHeader.signatureVersion.rawValue, "must be \(allowed)", code: .signatureInvalid)
        case .unknownDevice: self.init(.deviceNotRegistered, "This device is not registered.")
        case .revokedDevice: self.init(.deviceRevoked, "This device has been revoked.")
        case .timestampExpired: self.init(.timestampExpired, "The request's timestamp is more than five minutes off.")
        case .invalidSignature: self.init(.signatureInvalid, "The request's signature does not verify.")
        }
    }

    private init(_ error: RegistrationError) {
        switch error {
        case .invalid(let field, let problem): self = .invalid(field, problem)
        case .unsupportedPlatform: self = .invalid("platform", "must be ios", code: .unsupportedPlatform)
        }
    }

    private init(_ error: RateLimitExceeded) {
        var headers = HTTPFields(error.allowance)
        headers[.retryAfter] = String(error.retrySeconds)
        self.init(.rateLimited, "Too many requests; try again later.", headers: headers)
    }

    private init(_ error: ConcurrencyLimit.Exceeded) {
        switch error.limit {
        case .device: self = .retryLater(.rateLimited, "Too many \(error.kind) from this device at once; try again.", seconds: 5)
        case .address: self = .retryLater(.rateLimited, "Too many \(error.kind) from this address at once; try again.", seconds: 5)
        case .total: self = .retryLater(.serviceUnavailable, "Too many \(error.kind) at the moment; try again.", seconds: 1)
        }
    }

    private init(_ error: CaptureError) {
        switch error {
        case .invalid(let field, let problem, let subject):
            let code: ErrorCode =
                switch subject {
                case .body: .validationError
                case .mediaType: .unsupportedMediaType
                case .metadata: .invalidMetadata
                case .assertion: .invalidAssertion
                case .depth: .invalidDepthFormat
                case .video: .invalidVideo
                case .hashChain: .invalidHashChain
                }
            self = .invalid(field, problem, code: code)
        case .tooLarge(SizeLimits.videoCapture):
            self.init(.payloadTooLarge, "A video capture is at most \(SizeLimits.videoCapture / 1_000_000) MB.")
        case .tooLarge(let limit): self.init(.payloadTooLarge, "A capture is at most \(limit >> 20) MiB.")
        case .videoTooLarge: self.init(.payloadTooLarge, "A video is at most \(SizeLimits.videoPart / 1_000_000) MB.")
        case .hashOnlyTooLarge:
            self.init(
                .payloadTooLarge,
                "A hash-only capture is at most \(SizeLimits.hashOnlyBody >> 10) KiB, and its payload \(SizeLimits.hashOnlyPayload) bytes.")
        case .assertionUnverified:
            self.init(.attestationFailed, "A hash-only capture needs an assertion over its payload by an attested device.")
        case .intakeExpired: self = .retryLater(.serviceUnavailable, "The upload took too long; send it again.", seconds: 1)
        case .beingRecorded: self = .retryLater(.serviceUnavailable, "The capture is being recorded; send it again.", seconds: 1)
        case .withdrawnMeanwhile:
            self = .retryLater(
                .serviceUnavailable, "A capture of the device was withdrawn meanwhile; send this one again.",
                seconds: Int(WithdrawalWindow.arrival / .seconds(1)))
        case .clocksDiffer: self = .retryLater(.serviceUnavailable, "The service's clocks differ; send it again later.", seconds: 60)
        }
    }

    private init(_ error: NotLogged) {
        self = .retryLater(.notLoggedYet, error.reason.sentence, seconds: error.retrySeconds)
        reason = error.reason.rawValue
    }

    private init(_ error: VerificationError) {
        switch error {
        case .fileMissing: self = .invalid(UploadPart.file.rawValue, "is missing")
        case .fileEmpty: self = .invalid(UploadPart.file.rawValue, "is empty")
        case .fileTwice: self = .invalid(UploadPart.file.rawValue, "appears twice")
        case .fileTooLarge:
            self.init(
                .payloadTooLarge, "A file is at most \(SizeLimits.file >> 20) MiB, a video \(SizeLimits.video >> 20) MiB.")
        case .partTooLarge(let name): self = .invalid(name, SizeLimits.unknownPartProblem)
        case .unsupportedFormat:
            self.init(.unsupportedMediaType, "The file is not a JPEG, PNG, HEIC, WebP, AVIF, TIFF, MP4, MOV or C2PA manifest.")
        case .inspectorsBusy:
            self = .retryLater(.serviceUnavailable, "Too many files are being inspected; try again.", seconds: 5)
        case .inspectorsUnavailable:
            self = .retryLater(.serviceUnavailable, "Files cannot be inspected at the moment.", seconds: 30)
        }
    }

    private init(_ error: MultipartError) {
        switch error {
        case .notMultipart: self.init(.unsupportedMediaType, "The body must be multipart/form-data.")
        case .badBoundary: self = .invalid("Content-Type", "has no usable boundary")
        case .malformed, .headerTooLarge, .unnamedPart, .tooManyParts, .strayBytes, .truncated:
            self.init(.validationError, "The multipart body is malformed.", details: [Detail(field: "body", problem: "\(error)")])
        }
    }

    /// Usually the network's fault, so the client may retry.
    private init(_ error: BodyPace.Failure) {
        let message = error == .late ? "The body was not complete in time." : "The body came too slowly."
        self = .retryLater(.serviceUnavailable, message, seconds: 1)
    }
}

extension SizeLimits {
    /// What the client learns about a larger part that is unknown.
    static let unknownPartProblem = "is unknown and larger than \(unknownPart >> 10) KiB"
}

extension HTTPFields {
    /// The `RateLimit-…` fields of draft-ietf-httpapi-ratelimit-headers; none without a limit.
    init(_ allowance: RateAllowance?) {
        self.init()
        guard let allowance else { return }
        self[.rateLimitLimit] = String(allowance.limit)
        self[.rateLimitRemaining] = String(allowance.remaining)
        self[.rateLimitReset] = String(allowance.resetSeconds)
    }
}
