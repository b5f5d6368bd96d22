// What the adapters use of Core Media.
public import CoreFoundationOnApple
public import Foundation
public import Security

// iOS 4.0: https://developer.apple.com/documentation/coremedia/cmtimevalue
public typealias CMTimeValue = Int64

// iOS 4.0: https://developer.apple.com/documentation/coremedia/cmtimescale
public typealias CMTimeScale = Int32

// iOS 4.0: https://developer.apple.com/documentation/coremedia/cmitemcount
public typealias CMItemCount = Int

// iOS 4.0: https://developer.apple.com/documentation/coremedia/cmtime
public struct CMTime: Sendable {
    // iOS 4.0: https://developer.apple.com/documentation/coremedia/cmtime/value
    public var value: CMTimeValue
    // iOS 4.0: https://developer.apple.com/documentation/coremedia/cmtime/init(value:timescale:)
    public init(value: CMTimeValue, timescale: CMTimeScale) { self.value = value }
    // iOS 4.0: https://developer.apple.com/documentation/coremedia/cmtime/invalid
    public static var invalid: CMTime { fatalError() }
}

// iOS 4.0: https://developer.apple.com/documentation/coremedia/cmtimegetseconds(_:)
public func CMTimeGetSeconds(_ time: CMTime) -> Double { fatalError() }

// iOS 4.0: https://developer.apple.com/documentation/coremedia/cmvideodimensions
public struct CMVideoDimensions: Sendable {
    // iOS 4.0: https://developer.apple.com/documentation/coremedia/cmvideodimensions/width
    public var width: Int32
    // iOS 4.0: https://developer.apple.com/documentation/coremedia/cmvideodimensions/height
    public var height: Int32
}

// iOS 4.0: https://developer.apple.com/documentation/coremedia/cmvideocodectype
public typealias CMVideoCodecType = UInt32

// iOS 4.0: https://developer.apple.com/documentation/coremedia/kcmvideocodectype_h264
public var kCMVideoCodecType_H264: CMVideoCodecType { fatalError() }

// iOS 9.0: https://developer.apple.com/documentation/coremedia/kcmvideocodectype_hevc
public var kCMVideoCodecType_HEVC: CMVideoCodecType { fatalError() }

// iOS 4.0: https://developer.apple.com/documentation/coremedia/cmformatdescription
public final class CMFormatDescription {}

// iOS 4.0: https://developer.apple.com/documentation/coremedia/cmvideoformatdescription
public typealias CMVideoFormatDescription = CMFormatDescription

// iOS 4.0: https://developer.apple.com/documentation/coremedia/cmvideoformatdescriptiongetdimensions(_:)
public func CMVideoFormatDescriptionGetDimensions(_ videoDesc: CMVideoFormatDescription) -> CMVideoDimensions { fatalError() }

// iOS 4.0: https://developer.apple.com/documentation/coremedia/cmformatdescriptiongetextension(_:extensionkey:)
public func CMFormatDescriptionGetExtension(_ desc: CMFormatDescription, extensionKey: CFString) -> CFTypeRef? { fatalError() }

// iOS 4.0: https://developer.apple.com/documentation/coremedia/kcmformatdescriptionextension_sampledescriptionextensionatoms
public var kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms: CFString { fatalError() }

// iOS 4.0: https://developer.apple.com/documentation/coremedia/cmblockbuffer
public final class CMBlockBuffer {}

// iOS 4.0: https://developer.apple.com/documentation/coremedia/cmblockbuffergetdatalength(_:)
public func CMBlockBufferGetDataLength(_ theBuffer: CMBlockBuffer) -> Int { fatalError() }

// iOS 4.0: https://developer.apple.com/documentation/coremedia/cmblockbuffercopydatabytes(_:atoffset:datalength:destination:)
public func CMBlockBufferCopyDataBytes(
    _ theSourceBuffer: CMBlockBuffer, atOffset offsetToData: Int, dataLength: Int, destination: UnsafeMutableRawPointer
) -> OSStatus { fatalError() }

// iOS 4.0: https://developer.apple.com/documentation/coremedia/cmsamplebuffer
public final class CMSampleBuffer {}

// iOS 4.0: https://developer.apple.com/documentation/coremedia/cmsamplebuffergetformatdescription(_:)
public func CMSampleBufferGetFormatDescription(_ sbuf: CMSampleBuffer) -> CMFormatDescription? { fatalError() }

// iOS 4.0: https://developer.apple.com/documentation/coremedia/cmsamplebuffergetdatabuffer(_:)
public func CMSampleBufferGetDataBuffer(_ sbuf: CMSampleBuffer) -> CMBlockBuffer? { fatalError() }

// iOS 4.0: https://developer.apple.com/documentation/coremedia/cmsamplebuffergetnumsamples(_:)
public func CMSampleBufferGetNumSamples(_ sbuf: CMSampleBuffer) -> CMItemCount { fatalError() }

// iOS 4.0: https://developer.apple.com/documentation/coremedia/cmsamplebuffergetpresentationtimestamp(_:)
public func CMSampleBufferGetPresentationTimeStamp(_ sbuf: CMSampleBuffer) -> CMTime { fatalError() }

// iOS 4.0: https://developer.apple.com/documentation/coremedia/cmsamplebuffergetsampleattachmentsarray(_:createifnecessary:)
// Apple's returns CFArray?, which is NSArray? here.
public func CMSampleBufferGetSampleAttachmentsArray(_ sbuf: CMSampleBuffer, createIfNecessary: Bool) -> NSArray? { fatalError() }

// iOS 4.0: https://developer.apple.com/documentation/coremedia/kcmsampleattachmentkey_notsync
public var kCMSampleAttachmentKey_NotSync: CFString { fatalError() }
