public import CaptureProtocol
public import Foundation
public import Models

/// What a share card says of a capture.
public struct ShareCardContent: Sendable, Equatable {
    /// What stands for the capture on the left.
    public enum Subject: Sendable, Equatable {
        /// The photo, or a camera where there is none to show.
        case photo
        /// The digest of a hash-only capture.
        case hash(ContentDigest)
    }

    public var subject: Subject
    /// `nil` while there is no result: the card has no badge.
    public var level: ConfidenceLevel?
    /// The attestation is a development one: the card is marked as a test.
    public var isDevelopment: Bool
    /// `nil` leaves the time out.
    public var capturedAt: Date?
    /// ``CoarseLocation/name``; `nil` if the place was not given. Cleaned of what does not print, cut where it is too long.
    public var placeName: String?
    /// Whether a hardware signature covers time and place; where none does the card says so.
    public var isSigned: Bool

    public init(
        subject: Subject, level: ConfidenceLevel?, isDevelopment: Bool = false, capturedAt: Date?, placeName: String?,
        isSigned: Bool = true
    ) {
        self.subject = subject
        self.level = level
        self.isDevelopment = isDevelopment
        self.capturedAt = capturedAt
        self.placeName = placeName
        self.isSigned = isSigned
    }
}
