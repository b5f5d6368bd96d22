package import CaptureProtocol
package import Models

/// One of the captures of a file that several devices claim.
package struct SimilarCapture: Sendable {
    let id: CaptureID
    let confidence: ConfidenceLevel
    let isDevelopment: Bool
    /// Whether its verdict was taken back.
    let isRevoked: Bool
    let capturedAt: SharedTime
    let place: String?
    /// Whether a hardware signature covers time and place.
    let isSigned: Bool

    package init(
        id: CaptureID, confidence: ConfidenceLevel, isDevelopment: Bool, isRevoked: Bool = false, capturedAt: SharedTime, place: String?,
        isSigned: Bool = true
    ) {
        self.id = id
        self.confidence = confidence
        self.isDevelopment = isDevelopment
        self.isRevoked = isRevoked
        self.capturedAt = capturedAt
        self.place = place
        self.isSigned = isSigned
    }
}

/// Captures of one file by several devices: those with a stored file first, then by level; verdicts taken back last.
package struct SimilarCaptures: Sendable {
    let captures: [SimilarCapture]
    /// All that claim the file, also those whose captures are not listed.
    let devices: Int
    /// Whether there may be more captures than are listed.
    let isCut: Bool

    package init(_ captures: [SimilarCapture], devices: Int, isCut: Bool = false) {
        self.captures = captures
        self.devices = devices
        self.isCut = isCut
    }
}
