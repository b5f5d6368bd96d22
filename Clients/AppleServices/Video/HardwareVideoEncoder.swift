public import CaptureKit
import CoreMedia
import Foundation
public import Movie
import Synchronization
import VideoToolbox

/// Encodes pictures with the phone's encoder, without frame reordering: samples come out in the order in which they are shown.
public actor HardwareVideoEncoder: VideoEncoder {
    private let compression: Compression
    private let output: Output
    private let rotation: VideoRotation
    private let codec: VideoCodec

    /// - Parameters:
    ///   - width: pixels of the camera's pictures as they lie in memory: 1920 of ARKit's.
    ///   - height: 1440 of ARKit's.
    ///   - rotation: how the picture is turned for showing: ``VideoRotation/quarter`` for a phone held upright.
    ///   - bitRate: per second, on average.
    /// - Throws: ``AppleVideoError``.
    public init(
        width: Int, height: Int, codec: VideoCodec = .hevc, rotation: VideoRotation = .quarter, bitRate: Int = 14_000_000
    ) throws {
        var made: VTCompressionSession?
        let status = VTCompressionSessionCreate(
            allocator: nil, width: Int32(clamping: width), height: Int32(clamping: height),
            codecType: codec == .h264 ? kCMVideoCodecType_H264 : kCMVideoCodecType_HEVC, encoderSpecification: nil,
            imageBufferAttributes: nil, compressedDataAllocator: nil, outputCallback: nil, refcon: nil, compressionSessionOut: &made)
        try AppleVideoError.check(status)
        guard let made else { throw AppleVideoError.unexpectedFormat }
        let properties: [(CFString, CFTypeRef)] = [
            (kVTCompressionPropertyKey_AllowFrameReordering, NSNumber(value: false)),
            (kVTCompressionPropertyKey_RealTime, NSNumber(value: true)),
            (kVTCompressionPropertyKey_AverageBitRate, NSNumber(value: bitRate)),
            // A key frame each second, at which players can begin.
            (kVTCompressionPropertyKey_MaxKeyFrameInterval, NSNumber(value: 30)),
        ]
        for (key, value) in properties { try AppleVideoError.check(VTSessionSetProperty(made, key: key, value: value)) }
        compression = Compression(made)
        output = Output(codec)
        self.codec = codec
        self.rotation = rotation
    }

    public var format: VideoFormat? {
        output.description.map {
            VideoFormat(
                codec: codec, width: $0.width, height: $0.height, rotation: rotation, timescale: VideoTime.timescale,
                configuration: $0.configuration)
        }
    }

    public func encode(_ picture: CameraPicture, at time: Int64) async throws -> [EncodedSample] {
        let status = VTCompressionSessionEncodeFrame(
            compression.session, imageBuffer: picture.buffer,
            presentationTimeStamp: CMTime(value: time, timescale: CMTimeScale(VideoTime.timescale)),
            duration: CMTime(value: 20, timescale: CMTimeScale(VideoTime.timescale)), frameProperties: nil, infoFlagsOut: nil
        ) { [output] status, _, sample in output.take(status, sample) }
        output.note(status)
        return try output.samples()
    }

    public nonisolated func luma(of picture: CameraPicture) -> LumaPlane? { CameraLuma.plane(of: picture.buffer) }

    public func finish() async throws -> [EncodedSample] {
        output.note(VTCompressionSessionCompleteFrames(compression.session, untilPresentationTimeStamp: .invalid))
        return try output.samples()
    }
}

/// Ends the session with its encoder.
private final class Compression {
    let session: VTCompressionSession

    init(_ session: VTCompressionSession) { self.session = session }

    deinit { VTCompressionSessionInvalidate(session) }
}

/// The output of the encoder, which comes on a thread of its own.
private final class Output: Sendable {
    struct Description {
        let width: UInt16
        let height: UInt16
        let configuration: [UInt8]
    }

    private let codec: VideoCodec
    private let state = Mutex<(description: Description?, samples: [EncodedSample], failure: AppleVideoError?)>((nil, [], nil))

    init(_ codec: VideoCodec) { self.codec = codec }

    var description: Description? { state.withLock { $0.description } }

    /// - Returns: what came out since the last call, and before anything went wrong.
    /// - Throws: what went wrong, when nothing is left to return.
    func samples() throws -> [EncodedSample] {
        try state.withLock { state in
            if let failure = state.failure, state.samples.isEmpty { throw failure }
            defer { state.samples = [] }
            return state.samples
        }
    }

    /// Keeps what went wrong. The first failure counts.
    /// - Parameter status: an `OSStatus`. In the background a session is invalid (`kVTInvalidSessionErr`).
    /// - Returns: whether nothing did.
    @discardableResult
    func note(_ status: Int32) -> Bool {
        do throws(AppleVideoError) { try AppleVideoError.check(status) } catch {
            fail(error)
            return false
        }
        return true
    }

    /// - Parameter sample: `nil` if the encoder left the picture out, for which the recorder is prepared.
    func take(_ status: Int32, _ sample: CMSampleBuffer?) {
        guard note(status), let sample else { return }
        guard let description = CMSampleBufferGetFormatDescription(sample), let bytes = Self.bytes(of: sample) else {
            return fail(.unexpectedFormat)
        }
        let dimensions = CMVideoFormatDescriptionGetDimensions(description)
        let atoms =
            CMFormatDescriptionGetExtension(description, extensionKey: kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms)
            as? NSDictionary
        guard let configuration = atoms?[codec == .h264 ? "avcC" : "hvcC"] as? Data, let width = UInt16(exactly: dimensions.width),
            let height = UInt16(exactly: dimensions.height)
        else { return fail(.unexpectedFormat) }
        let time = CMSampleBufferGetPresentationTimeStamp(sample).value
        let encoded = EncodedSample(
            bytes: bytes, decodeTime: time, presentationTime: time, duration: 20, isSync: Self.isSync(sample), pictureTime: time)
        state.withLock { state in
            // No gap: the samples end where the first picture is missing.
            guard state.failure == nil else { return }
            state.description = state.description ?? Description(width: width, height: height, configuration: Array(configuration))
            state.samples.append(encoded)
        }
    }

    private func fail(_ failure: AppleVideoError) { state.withLock { $0.failure = $0.failure ?? failure } }

    private static func bytes(of sample: CMSampleBuffer) -> [UInt8]? {
        guard let block = CMSampleBufferGetDataBuffer(sample) else { return nil }
        let count = CMBlockBufferGetDataLength(block)
        var status: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            guard let start = buffer.baseAddress else { return }
            status = CMBlockBufferCopyDataBytes(block, atOffset: 0, dataLength: count, destination: start)
            filled = status == 0 ? count : 0
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// Attachments say what is not a key frame.
    private static func isSync(_ sample: CMSampleBuffer) -> Bool {
        let attachments = CMSampleBufferGetSampleAttachmentsArray(sample, createIfNecessary: false) as? [NSDictionary]
        return (attachments?.first?[kCMSampleAttachmentKey_NotSync] as? Bool) != true
    }
}
