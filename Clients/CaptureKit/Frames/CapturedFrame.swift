public import Foundation

/// What the camera gave for one capture.
public struct CapturedFrame: Sendable {
    /// The photo as a JPEG, as the camera or the encoder made it.
    public let jpeg: [UInt8]
    /// `nil` if the camera gave no depth, without which there is no capture.
    public let depth: DepthPlane?
    /// The photo's brightness as stored, of any size; only privacy mode needs it.
    public let luma: LumaPlane?
    /// When the frame was taken.
    public let capturedAt: Date
    public let orientation: PhotoOrientation
    /// A small picture for the list of captures, in a format that the app understands; it stays on the device.
    public let thumbnail: [UInt8]?

    public init(
        jpeg: [UInt8], depth: DepthPlane?, luma: LumaPlane? = nil, capturedAt: Date, orientation: PhotoOrientation,
        thumbnail: [UInt8]? = nil
    ) {
        self.jpeg = jpeg
        self.depth = depth
        self.luma = luma
        self.capturedAt = capturedAt
        self.orientation = orientation
        self.thumbnail = thumbnail
    }

    /// - Parameters:
    ///   - uptime: seconds since start-up when the frame was taken, such as `ARFrame.timestamp`.
    ///   - clock: both clocks, read when the frame arrived.
    public init(
        jpeg: [UInt8], depth: DepthPlane?, luma: LumaPlane? = nil, uptime: TimeInterval, clock: ClockPairing,
        orientation: PhotoOrientation, thumbnail: [UInt8]? = nil
    ) {
        self.init(
            jpeg: jpeg, depth: depth, luma: luma, capturedAt: clock.date(atUptime: uptime), orientation: orientation, thumbnail: thumbnail)
    }
}
