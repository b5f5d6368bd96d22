public import CaptureProtocol
public import Foundation

/// What is known of a capture beyond its state. Sealed in the database, since times, models and results are nobody else's business.
public struct CaptureFacts: Sendable, Equatable, Codable {
    public let capturedAt: Date
    /// The digest of the photo or video.
    public let photoDigest: ContentDigest
    public let depthDigest: ContentDigest
    /// The digest of the metadata part; in privacy mode that of the payload.
    public let metadataDigest: ContentDigest
    /// The settings at the shutter in privacy mode; `nil` for a capture that is sent in full.
    public let flags: MetadataFlags?
    /// The size of the depth map in pixels, in privacy mode: such a capture has no metadata that say it.
    public let depthWidth: Int?
    public let depthHeight: Int?
    /// The facts of a video; `nil` for a photo.
    public internal(set) var video: RecordingFacts?
    /// The result of the latest attempt, if it failed.
    public var failure: CaptureFailure?
    /// The page that verifies it.
    public var link: String?
    /// When it was uploaded, by the device's clock.
    public var uploadedAt: Date?
    /// Once the server has decided.
    public var confidence: String?
    /// When the server last said that it has it, with a confidence, by the device's clock.
    var confirmedAt: Date?
    /// Whether the server reported the capture as failed. It is asked on, since that may be repaired.
    public var failedOnServer: Bool?
    /// Whether the server said that it does not know the capture, as after a backup of it was restored.
    public var unknownOnServer: Bool?
    /// Whether it was withdrawn on the server, which has nothing of it any more. What is here stays until its person deletes it.
    public var withdrawnOnServer: Bool?
    /// Whether its person wants it withdrawn: the server may have done so, and not have been heard.
    public var withdrawalWanted: Bool?
    /// Whether a person decided to send it without its assertion.
    public var goesWithoutAssertion = false
    /// The devices by which it was sent, whatever came of it: the server may have it although no answer said so. `nil` if it never was.
    var sentBy: Set<DeviceID>?
    /// When it was first sent, by the device's clock: any attempt may have arrived. `nil` again once it waits to be sent once more.
    var sentAt: Date?
    /// Whether it was ever sent in one request: only the bytes tell the server then that it is the same.
    var sentAtOnce: Bool?
    /// The server's id of an uploaded capture that waits to be sent once more.
    var formerServerID: CaptureID?
    /// How often it was sent once more without a person.
    var repairs: Int?
    /// The first byte that was sent when an upload last went on after a break.
    public internal(set) var resumedAt: Int64?
    /// Whether an attempt to send it ended without an answer, or with one that says that the server is away (502, 503, 504).
    var brokeOff: Bool?
    /// The upload that is to go on. Ends with what it is for (``CaptureDatabase/update(_:_:)``).
    var upload: KeptUpload?

    public init(
        capturedAt: Date, photoDigest: ContentDigest, depthDigest: ContentDigest, metadataDigest: ContentDigest,
        flags: MetadataFlags? = nil,
        depthWidth: Int? = nil, depthHeight: Int? = nil, video: RecordingFacts? = nil
    ) {
        self.capturedAt = capturedAt
        self.photoDigest = photoDigest
        self.depthDigest = depthDigest
        self.metadataDigest = metadataDigest
        self.flags = flags
        self.depthWidth = depthWidth
        self.depthHeight = depthHeight
        self.video = video
    }

    /// Whether the server's result is known, and stays unless the server loses the capture.
    public var isFinal: Bool { confidence != nil || withdrawnOnServer == true }
}

/// Why an attempt failed, in words for a person and a stable code for programs.
public struct CaptureFailure: Sendable, Equatable, Codable {
    /// The server's code, such as `VALIDATION_ERROR`, or one of the library, such as `unreachable`.
    public let code: String
    public let message: String
    /// The server's details as JSON text, if any.
    public let details: String?

    public init(code: String, message: String, details: String? = nil) {
        self.code = code
        self.message = message
        self.details = details
    }
}
