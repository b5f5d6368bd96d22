import CaptureProtocol
import HTTPTypes

extension HTTPField.Name {
    static let requestID = Self("X-Request-Id")!
    static let traceparent = Self("traceparent")!
    static let deviceID = Self(DeviceHeader.deviceID.rawValue)!
    static let deviceTimestamp = Self(DeviceHeader.timestamp.rawValue)!
    static let deviceSignature = Self(DeviceHeader.signature.rawValue)!
    static let deviceSignatureVersion = Self(DeviceHeader.signatureVersion.rawValue)!
    static let forwardedFor = Self("X-Forwarded-For")!
    static let rateLimitLimit = Self("RateLimit-Limit")!
    static let rateLimitRemaining = Self("RateLimit-Remaining")!
    static let rateLimitReset = Self("RateLimit-Reset")!
    static let contentDigest = Self("Content-Digest")!
    static let lastEventID = Self("Last-Event-ID")!
    static let referrerPolicy = Self("Referrer-Policy")!
    static let crossOriginOpenerPolicy = Self("Cross-Origin-Opener-Policy")!
    static let crossOriginResourcePolicy = Self("Cross-Origin-Resource-Policy")!
    static let permissionsPolicy = Self("Permissions-Policy")!
    static let robotsTag = Self("X-Robots-Tag")!
    static let reprDigest = Self(UploadHeader.representationDigest.rawValue)!
    static let acceptPatch = Self("Accept-Patch")!
    static let uploadDraftInteropVersion = Self(UploadHeader.version.rawValue)!
    static let uploadComplete = Self(UploadHeader.complete.rawValue)!
    static let uploadIncomplete = Self(UploadHeader.incomplete.rawValue)!
    static let uploadOffset = Self(UploadHeader.offset.rawValue)!
    static let uploadLength = Self(UploadHeader.length.rawValue)!
    static let uploadLimit = Self(UploadHeader.limit.rawValue)!
}
