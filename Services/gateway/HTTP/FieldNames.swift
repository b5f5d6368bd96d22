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
    static let reprDigest = Self("Repr-Digest")!
    static let acceptPatch = Self("Accept-Patch")!
    static let uploadDraftInteropVersion = Self("Upload-Draft-Interop-Version")!
    static let uploadComplete = Self("Upload-Complete")!
    /// The inverse of `Upload-Complete`, in interop version 3.
    static let uploadIncomplete = Self("Upload-Incomplete")!
    static let uploadOffset = Self("Upload-Offset")!
    static let uploadLength = Self("Upload-Length")!
    static let uploadLimit = Self("Upload-Limit")!
}
