// What the adapters use of Core Image.
public import CoreGraphics
public import CoreVideo
public import Foundation

// iOS 5.0: https://developer.apple.com/documentation/coreimage/ciimage
open class CIImage: NSObject {
    // iOS 5.0: https://developer.apple.com/documentation/coreimage/ciimage/init(cvpixelbuffer:)
    public init(cvPixelBuffer pixelBuffer: CVPixelBuffer) {}
}

// iOS 5.0: https://developer.apple.com/documentation/coreimage/cicontextoption
public struct CIContextOption: Hashable, Sendable {}

// iOS 11.0: https://developer.apple.com/documentation/coreimage/ciimagerepresentationoption
public struct CIImageRepresentationOption: Hashable, Sendable {
    // iOS 11.0: https://developer.apple.com/documentation/coreimage/ciimagerepresentationoption/init(rawvalue:)
    public init(rawValue: String) {}
}

// iOS 5.0: https://developer.apple.com/documentation/coreimage/cicontext
open class CIContext: NSObject {
    // iOS 5.0: https://developer.apple.com/documentation/coreimage/cicontext/init(options:)
    public init(options: [CIContextOption: Any]? = nil) {}
    // iOS 10.0: https://developer.apple.com/documentation/coreimage/cicontext/jpegrepresentation(of:colorspace:options:)
    open func jpegRepresentation(
        of image: CIImage, colorSpace: CGColorSpace, options: [CIImageRepresentationOption: Any] = [:]
    ) -> Data? { fatalError() }
}
