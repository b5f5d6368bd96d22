public import CaptureProtocol
public import Models

/// The content of a capture's share card.
public struct ShareCardContent: Sendable, Equatable {
    /// What the left part of the card shows.
    public enum Subject: Sendable, Equatable {
        /// The photo, or a camera if there is none to show.
        case photo
        /// The same of a video's poster, with a play mark.
        case video
        /// The digest of a hash-only capture.
        case hash(ContentDigest)
    }

    public var subject: Subject
    /// `nil` while there is no result: the card has no badge.
    public var level: ConfidenceLevel?
    /// Whether the attestation is a development one: the card is then marked as a test.
    public var isDevelopment: Bool
    public var capturedAt: SharedTime
    /// ``CoarseLocation/name``; `nil` if there is no location. Unprintable characters are removed, and long names truncated.
    public var placeName: String?
    /// Whether a location was given that is not on Earth, so that it has no name.
    public var hasFalsePlace: Bool
    /// Whether a hardware signature covers time and place; if not, the card has a note, and a digest is not called verified.
    public var isSigned: Bool

    public init(
        subject: Subject, level: ConfidenceLevel?, isDevelopment: Bool = false, capturedAt: SharedTime, placeName: String?,
        hasFalsePlace: Bool = false, isSigned: Bool = true
    ) {
        self.subject = subject
        self.level = level
        self.isDevelopment = isDevelopment
        self.capturedAt = capturedAt
        self.placeName = placeName
        self.hasFalsePlace = hasFalsePlace
        self.isSigned = isSigned
    }
}
