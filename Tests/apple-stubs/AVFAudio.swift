// What the adapters use of AVFAudio, and of Core Audio and Core Media with it, which it brings along.
public import CoreMedia
public import Foundation
public import Security

// iOS 2.0: https://developer.apple.com/documentation/coreaudiotypes/audioformatid
public typealias AudioFormatID = UInt32

// iOS 2.0: https://developer.apple.com/documentation/coreaudiotypes/kaudioformatmpeg4aac
public var kAudioFormatMPEG4AAC: AudioFormatID { fatalError() }

// iOS 2.0: https://developer.apple.com/documentation/coreaudiotypes/audiobufferlist
public struct AudioBufferList {}

// iOS 2.0: https://developer.apple.com/documentation/coreaudiotypes/audiostreampacketdescription
public struct AudioStreamPacketDescription {
    // iOS 2.0: https://developer.apple.com/documentation/coreaudiotypes/audiostreampacketdescription/mstartoffset
    public var mStartOffset: Int64
    // iOS 2.0: https://developer.apple.com/documentation/coreaudiotypes/audiostreampacketdescription/mdatabytesize
    public var mDataByteSize: UInt32
}

// iOS 3.0: https://developer.apple.com/documentation/avfaudio/avformatidkey
public var AVFormatIDKey: String { fatalError() }

// iOS 3.0: https://developer.apple.com/documentation/avfaudio/avsampleratekey
public var AVSampleRateKey: String { fatalError() }

// iOS 3.0: https://developer.apple.com/documentation/avfaudio/avnumberofchannelskey
public var AVNumberOfChannelsKey: String { fatalError() }

// iOS 8.0: https://developer.apple.com/documentation/avfaudio/avaudioframecount
public typealias AVAudioFrameCount = UInt32

// iOS 8.0: https://developer.apple.com/documentation/avfaudio/avaudiopacketcount
public typealias AVAudioPacketCount = UInt32

// iOS 8.0: https://developer.apple.com/documentation/avfaudio/avaudiochannelcount
public typealias AVAudioChannelCount = UInt32

// iOS 8.0: https://developer.apple.com/documentation/avfaudio/avaudioformat
open class AVAudioFormat: NSObject {
    // iOS 8.0: https://developer.apple.com/documentation/avfaudio/avaudioformat/init(settings:)
    public init?(settings: [String: Any]) {}
    // iOS 9.0: https://developer.apple.com/documentation/avfaudio/avaudioformat/init(cmaudioformatdescription:)
    public init(cmAudioFormatDescription formatDescription: CMFormatDescription) {}
    // iOS 8.0: https://developer.apple.com/documentation/avfaudio/avaudioformat/samplerate
    open var sampleRate: Double { fatalError() }
    // iOS 8.0: https://developer.apple.com/documentation/avfaudio/avaudioformat/channelcount
    open var channelCount: AVAudioChannelCount { fatalError() }
}

// iOS 8.0: https://developer.apple.com/documentation/avfaudio/avaudiobuffer
open class AVAudioBuffer: NSObject {
    // iOS 8.0: https://developer.apple.com/documentation/avfaudio/avaudiobuffer/mutableaudiobufferlist
    open var mutableAudioBufferList: UnsafeMutablePointer<AudioBufferList> { fatalError() }
}

// iOS 8.0: https://developer.apple.com/documentation/avfaudio/avaudiopcmbuffer
open class AVAudioPCMBuffer: AVAudioBuffer {
    // iOS 8.0: https://developer.apple.com/documentation/avfaudio/avaudiopcmbuffer/init(pcmformat:framecapacity:)
    public init?(pcmFormat format: AVAudioFormat, frameCapacity: AVAudioFrameCount) {}
    // iOS 8.0: https://developer.apple.com/documentation/avfaudio/avaudiopcmbuffer/framelength
    open var frameLength: AVAudioFrameCount = 0
}

// iOS 9.0: https://developer.apple.com/documentation/avfaudio/avaudiocompressedbuffer
open class AVAudioCompressedBuffer: AVAudioBuffer {
    // iOS 9.0: https://developer.apple.com/documentation/avfaudio/avaudiocompressedbuffer/init(format:packetcapacity:maximumpacketsize:)
    public init(format: AVAudioFormat, packetCapacity: AVAudioPacketCount, maximumPacketSize: Int) {}
    // iOS 9.0: https://developer.apple.com/documentation/avfaudio/avaudiocompressedbuffer/packetcount
    open var packetCount: AVAudioPacketCount = 0
    // iOS 11.0: https://developer.apple.com/documentation/avfaudio/avaudiocompressedbuffer/bytelength
    open var byteLength: UInt32 = 0
    // iOS 9.0: https://developer.apple.com/documentation/avfaudio/avaudiocompressedbuffer/data
    open var data: UnsafeMutableRawPointer { fatalError() }
    // iOS 9.0: https://developer.apple.com/documentation/avfaudio/avaudiocompressedbuffer/packetdescriptions
    open var packetDescriptions: UnsafeMutablePointer<AudioStreamPacketDescription>? { fatalError() }
}

// iOS 9.0: https://developer.apple.com/documentation/avfaudio/avaudioconverterprimeinfo
public struct AVAudioConverterPrimeInfo {
    // iOS 9.0: https://developer.apple.com/documentation/avfaudio/avaudioconverterprimeinfo/leadingframes
    public var leadingFrames: AVAudioFrameCount
}

// iOS 9.0: https://developer.apple.com/documentation/avfaudio/avaudioconverterinputstatus
public enum AVAudioConverterInputStatus: Int, Sendable {
    // iOS 9.0: https://developer.apple.com/documentation/avfaudio/avaudioconverterinputstatus/havedata
    case haveData
    // iOS 9.0: https://developer.apple.com/documentation/avfaudio/avaudioconverterinputstatus/nodatanow
    case noDataNow
    // iOS 9.0: https://developer.apple.com/documentation/avfaudio/avaudioconverterinputstatus/endofstream
    case endOfStream
}

// iOS 9.0: https://developer.apple.com/documentation/avfaudio/avaudioconverteroutputstatus
public enum AVAudioConverterOutputStatus: Int, Sendable {
    // iOS 9.0: https://developer.apple.com/documentation/avfaudio/avaudioconverteroutputstatus/havedata
    case haveData
    // iOS 9.0: https://developer.apple.com/documentation/avfaudio/avaudioconverteroutputstatus/inputrandry
    case inputRanDry
    // iOS 9.0: https://developer.apple.com/documentation/avfaudio/avaudioconverteroutputstatus/endofstream
    case endOfStream
    // iOS 9.0: https://developer.apple.com/documentation/avfaudio/avaudioconverteroutputstatus/error
    case error
}

// iOS 9.0: https://developer.apple.com/documentation/avfaudio/avaudioconverterinputblock
public typealias AVAudioConverterInputBlock =
    @Sendable (AVAudioPacketCount, UnsafeMutablePointer<AVAudioConverterInputStatus>) -> AVAudioBuffer?

// iOS 9.0: https://developer.apple.com/documentation/avfaudio/avaudioconverter
open class AVAudioConverter: NSObject {
    // iOS 9.0: https://developer.apple.com/documentation/avfaudio/avaudioconverter/init(from:to:)
    public init?(from fromFormat: AVAudioFormat, to toFormat: AVAudioFormat) {}
    // iOS 9.0: https://developer.apple.com/documentation/avfaudio/avaudioconverter/outputformat
    open var outputFormat: AVAudioFormat { fatalError() }
    // iOS 9.0: https://developer.apple.com/documentation/avfaudio/avaudioconverter/bitrate
    open var bitRate = 0
    // iOS 9.0: https://developer.apple.com/documentation/avfaudio/avaudioconverter/primeinfo
    open var primeInfo: AVAudioConverterPrimeInfo { fatalError() }
    // iOS 9.0: https://developer.apple.com/documentation/avfaudio/avaudioconverter/maximumoutputpacketsize
    open var maximumOutputPacketSize: Int { fatalError() }
    // iOS 9.0: https://developer.apple.com/documentation/avfaudio/avaudioconverter/convert(to:error:withinputfrom:)
    // Apple's pointer is NSErrorPointer, which is AutoreleasingUnsafeMutablePointer; both are passed with "&".
    open func convert(
        to outputBuffer: AVAudioBuffer, error outError: UnsafeMutablePointer<NSError?>?,
        withInputFrom inputBlock: AVAudioConverterInputBlock
    ) -> AVAudioConverterOutputStatus { fatalError() }
}

// iOS 4.0: https://developer.apple.com/documentation/coremedia/cmsamplebuffercopypcmdataintoaudiobufferlist(_:at:framecount:into:)
public func CMSampleBufferCopyPCMDataIntoAudioBufferList(
    _ sbuf: CMSampleBuffer, at frameOffset: Int32, frameCount numFrames: Int32, into bufferList: UnsafeMutablePointer<AudioBufferList>
) -> OSStatus { fatalError() }
