public import Foundation

/// What a capturing device knows about a photo and writes into its EXIF. The place is not among it: it would let who has the public copy
/// and the original's digest find it out by trying (SPEC §14 "Linkability").
public struct CameraFacts: Sendable, Equatable {
    /// Written to the millisecond.
    public let capturedAt: Date
    /// Offset of the device's clock from UTC, of which EXIF has the minutes.
    public let secondsFromUTC: Int
    /// Apple's product name, such as "iPhone 15 Pro".
    public let model: String
    /// 1...8: how to rotate the stored picture upright.
    public let orientation: Int

    public init(capturedAt: Date, secondsFromUTC: Int, model: String, orientation: Int) {
        self.capturedAt = capturedAt
        self.secondsFromUTC = secondsFromUTC
        self.model = model
        self.orientation = orientation
    }
}
