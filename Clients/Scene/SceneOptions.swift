public import Foundation

/// The options for photographing a scene.
public struct SceneOptions: Sendable {
    /// Pixels of the photo as stored; other proportions than 4 : 3 are distorted.
    public var photoSize: (width: Int, height: Int) = (4032, 3024)
    /// Pixels of the depth map, as ARKit's `sceneDepth` gives it.
    public var depthSize: (width: Int, height: Int) = (256, 192)
    /// The longer side at which the photo is ray-cast before it is enlarged to `photoSize`; smaller is faster and blurrier.
    public var detail = 1008
    public var capturedAt: Date
    /// Offset of the camera's clock from UTC, in seconds.
    public var secondsFromUTC = 0
    /// EXIF Model.
    public var model = "iPhone 15 Pro"
    /// EXIF Orientation, 1...8; the pixels are not rotated.
    public var orientation = 1
    /// EXIF GPS; `nil` omits it.
    public var location: SceneLocation?
    /// Whether to write a maker note, serial numbers and an owner's name, to test that they are removed.
    public var includesPrivateTags = false
    /// 1...100.
    public var jpegQuality = 90

    public init(capturedAt: Date) { self.capturedAt = capturedAt }
}

/// A location in EXIF GPS, in degrees (WGS 84) and metres.
public struct SceneLocation: Sendable, Equatable {
    public var latitude: Double
    public var longitude: Double
    public var altitude: Double?

    public init(latitude: Double, longitude: Double, altitude: Double? = nil) {
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude
    }
}
