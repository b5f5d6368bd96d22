// What the adapters use of Core Video.

// iOS 4.0: https://developer.apple.com/documentation/corevideo/cvbuffer
public final class CVBuffer {}

// iOS 4.0: https://developer.apple.com/documentation/corevideo/cvimagebuffer
public typealias CVImageBuffer = CVBuffer

// iOS 4.0: https://developer.apple.com/documentation/corevideo/cvpixelbuffer
public typealias CVPixelBuffer = CVImageBuffer

// iOS 4.0: https://developer.apple.com/documentation/corevideo/cvreturn
public typealias CVReturn = Int32

// iOS 4.0: https://developer.apple.com/documentation/corevideo/kcvreturnsuccess
public var kCVReturnSuccess: CVReturn { 0 }

// iOS 2.0: https://developer.apple.com/documentation/kernel/ostype
public typealias OSType = UInt32

// iOS 11.0: https://developer.apple.com/documentation/corevideo/kcvpixelformattype_depthfloat32
public var kCVPixelFormatType_DepthFloat32: OSType { fatalError() }

// iOS 4.0: https://developer.apple.com/documentation/corevideo/cvpixelbufferlockflags
public struct CVPixelBufferLockFlags: OptionSet, Sendable {
    // iOS 4.0: https://developer.apple.com/documentation/corevideo/cvpixelbufferlockflags/rawvalue
    public let rawValue: UInt64
    // iOS 4.0: https://developer.apple.com/documentation/corevideo/cvpixelbufferlockflags/init(rawvalue:)
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    // iOS 4.0: https://developer.apple.com/documentation/corevideo/cvpixelbufferlockflags/readonly
    public static var readOnly: CVPixelBufferLockFlags { fatalError() }
}

// iOS 4.0: https://developer.apple.com/documentation/corevideo/cvpixelbufferlockbaseaddress(_:_:)
public func CVPixelBufferLockBaseAddress(_ pixelBuffer: CVPixelBuffer, _ lockFlags: CVPixelBufferLockFlags) -> CVReturn { fatalError() }

// iOS 4.0: https://developer.apple.com/documentation/corevideo/cvpixelbufferunlockbaseaddress(_:_:)
@discardableResult
public func CVPixelBufferUnlockBaseAddress(_ pixelBuffer: CVPixelBuffer, _ unlockFlags: CVPixelBufferLockFlags) -> CVReturn { fatalError() }

// iOS 4.0: https://developer.apple.com/documentation/corevideo/cvpixelbuffergetbaseaddress(_:)
public func CVPixelBufferGetBaseAddress(_ pixelBuffer: CVPixelBuffer) -> UnsafeMutableRawPointer? { fatalError() }

// iOS 4.0: https://developer.apple.com/documentation/corevideo/cvpixelbuffergetbytesperrow(_:)
public func CVPixelBufferGetBytesPerRow(_ pixelBuffer: CVPixelBuffer) -> Int { fatalError() }

// iOS 4.0: https://developer.apple.com/documentation/corevideo/cvpixelbuffergetwidth(_:)
public func CVPixelBufferGetWidth(_ pixelBuffer: CVPixelBuffer) -> Int { fatalError() }

// iOS 4.0: https://developer.apple.com/documentation/corevideo/cvpixelbuffergetheight(_:)
public func CVPixelBufferGetHeight(_ pixelBuffer: CVPixelBuffer) -> Int { fatalError() }

// iOS 4.0: https://developer.apple.com/documentation/corevideo/cvpixelbuffergetpixelformattype(_:)
public func CVPixelBufferGetPixelFormatType(_ pixelBuffer: CVPixelBuffer) -> OSType { fatalError() }

// iOS 4.0: https://developer.apple.com/documentation/corevideo/kcvpixelformattype_420ypcbcr8biplanarfullrange
public var kCVPixelFormatType_420YpCbCr8BiPlanarFullRange: OSType { fatalError() }

// iOS 4.0: https://developer.apple.com/documentation/corevideo/cvpixelbuffergetbaseaddressofplane(_:_:)
public func CVPixelBufferGetBaseAddressOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> UnsafeMutableRawPointer? { fatalError() }

// iOS 4.0: https://developer.apple.com/documentation/corevideo/cvpixelbuffergetbytesperrowofplane(_:_:)
public func CVPixelBufferGetBytesPerRowOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> Int { fatalError() }

// iOS 4.0: https://developer.apple.com/documentation/corevideo/cvpixelbuffergetwidthofplane(_:_:)
public func CVPixelBufferGetWidthOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> Int { fatalError() }

// iOS 4.0: https://developer.apple.com/documentation/corevideo/cvpixelbuffergetheightofplane(_:_:)
public func CVPixelBufferGetHeightOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> Int { fatalError() }
