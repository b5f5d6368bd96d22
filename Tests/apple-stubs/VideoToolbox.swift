// What the adapters use of VideoToolbox.
public import CoreFoundationOnApple
public import CoreMedia
public import CoreVideo
public import Foundation
public import Security

// iOS 8.0: https://developer.apple.com/documentation/videotoolbox/vtsession
public typealias VTSession = CFTypeRef

// iOS 8.0: https://developer.apple.com/documentation/videotoolbox/vtcompressionsession
public final class VTCompressionSession {}

// iOS 8.0: https://developer.apple.com/documentation/videotoolbox/vtencodeinfoflags
public struct VTEncodeInfoFlags: OptionSet, Sendable {
    // iOS 8.0: https://developer.apple.com/documentation/videotoolbox/vtencodeinfoflags/rawvalue
    public let rawValue: UInt32
    // iOS 8.0: https://developer.apple.com/documentation/videotoolbox/vtencodeinfoflags/init(rawvalue:)
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

// iOS 8.0: https://developer.apple.com/documentation/videotoolbox/vtcompressionoutputcallback
// Apple's is a pointer to a C function; the adapters give none.
public typealias VTCompressionOutputCallback = OpaquePointer

// iOS 9.0: https://developer.apple.com/documentation/videotoolbox/vtcompressionoutputhandler
public typealias VTCompressionOutputHandler = @Sendable (OSStatus, VTEncodeInfoFlags, CMSampleBuffer?) -> Void

// iOS 8.0: https://developer.apple.com/documentation/videotoolbox/vtcompressionsessioncreate(allocator:width:height:codectype:encoderspecification:imagebufferattributes:compresseddataallocator:outputcallback:refcon:compressionsessionout:)
public func VTCompressionSessionCreate(
    allocator: CFAllocator?, width: Int32, height: Int32, codecType: CMVideoCodecType, encoderSpecification: CFDictionary?,
    imageBufferAttributes: CFDictionary?, compressedDataAllocator: CFAllocator?, outputCallback: VTCompressionOutputCallback?,
    refcon: UnsafeMutableRawPointer?, compressionSessionOut: UnsafeMutablePointer<VTCompressionSession?>
) -> OSStatus { fatalError() }

// iOS 8.0: https://developer.apple.com/documentation/videotoolbox/vtsessionsetproperty(_:key:value:)
public func VTSessionSetProperty(_ session: VTSession, key propertyKey: CFString, value propertyValue: CFTypeRef?) -> OSStatus {
    fatalError()
}

// iOS 9.0: https://developer.apple.com/documentation/videotoolbox/vtcompressionsessionencodeframe(_:imagebuffer:presentationtimestamp:duration:frameproperties:infoflagsout:outputhandler:)
public func VTCompressionSessionEncodeFrame(
    _ session: VTCompressionSession, imageBuffer: CVImageBuffer, presentationTimeStamp: CMTime, duration: CMTime,
    frameProperties: CFDictionary?, infoFlagsOut: UnsafeMutablePointer<VTEncodeInfoFlags>?,
    outputHandler: @escaping VTCompressionOutputHandler
) -> OSStatus { fatalError() }

// iOS 8.0: https://developer.apple.com/documentation/videotoolbox/vtcompressionsessioncompleteframes(_:untilpresentationtimestamp:)
public func VTCompressionSessionCompleteFrames(
    _ session: VTCompressionSession, untilPresentationTimeStamp completeUntilPresentationTimeStamp: CMTime
) -> OSStatus { fatalError() }

// iOS 8.0: https://developer.apple.com/documentation/videotoolbox/vtcompressionsessioninvalidate(_:)
public func VTCompressionSessionInvalidate(_ session: VTCompressionSession) {}

// iOS 8.0: https://developer.apple.com/documentation/videotoolbox/kvtcompressionpropertykey_allowframereordering
public var kVTCompressionPropertyKey_AllowFrameReordering: CFString { fatalError() }

// iOS 8.0: https://developer.apple.com/documentation/videotoolbox/kvtcompressionpropertykey_realtime
public var kVTCompressionPropertyKey_RealTime: CFString { fatalError() }

// iOS 8.0: https://developer.apple.com/documentation/videotoolbox/kvtcompressionpropertykey_averagebitrate
public var kVTCompressionPropertyKey_AverageBitRate: CFString { fatalError() }

// iOS 8.0: https://developer.apple.com/documentation/videotoolbox/kvtcompressionpropertykey_maxkeyframeinterval
public var kVTCompressionPropertyKey_MaxKeyFrameInterval: CFString { fatalError() }
