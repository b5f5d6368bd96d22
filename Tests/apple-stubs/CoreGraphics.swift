// What the adapters use of Core Graphics.
public import CoreFoundationOnApple

// iOS 2.0: https://developer.apple.com/documentation/coregraphics/cgcolorspace
public final class CGColorSpace {
    // iOS 2.0: https://developer.apple.com/documentation/coregraphics/cgcolorspace/init(name:)
    public init?(name: CFString) { nil }
    // iOS 9.0: https://developer.apple.com/documentation/coregraphics/cgcolorspace/srgb
    public static var sRGB: CFString { fatalError() }
}
