import CAVCodec
import Movie

/// A decoder of H.264 or HEVC with one thread.
///
/// Owns libavcodec's context; nothing of it leaves this type but frames, which last until the next call.
final class PictureDecoder {
    private var context: UnsafeMutablePointer<AVCodecContext>?
    private var packet: UnsafeMutablePointer<AVPacket>?
    private let frame = Frame()

    /// - Parameter configuration: payload of `avcC` or `hvcC`.
    init(_ codec: VideoCodec, configuration: [UInt8] = []) throws {
        let id = codec == .h264 ? AV_CODEC_ID_H264 : AV_CODEC_ID_HEVC
        guard let decoder = avcodec_find_decoder(id), let context = avcodec_alloc_context3(decoder), let packet = av_packet_alloc() else {
            throw DecodingFailure("libavcodec has no decoder")
        }
        self.context = context
        self.packet = packet
        context.pointee.thread_count = 1
        // The samples that may be accepted have no more, whatever the stream says (SPEC §10.1).
        context.pointee.max_pixels = 4096 * 2304
        if !configuration.isEmpty {
            let padded = configuration.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)
            guard let bytes = av_mallocz(padded) else { throw DecodingFailure("no memory") }
            bytes.copyMemory(from: configuration, byteCount: configuration.count)
            context.pointee.extradata = bytes.assumingMemoryBound(to: UInt8.self)
            context.pointee.extradata_size = Int32(configuration.count)
        }
        try DecodingFailure.check(avcodec_open2(context, decoder, nil), "the decoder did not open")
    }

    deinit {
        av_packet_free(&packet)
        avcodec_free_context(&context)
    }

    /// Decodes the next sample in decoding order; `body` gets the frames that are complete, in the order in which they are shown. A sample
    /// that cannot be decoded gives none.
    /// - Parameter isNeeded: false if its picture is of no use itself: it is left out unless others refer to it, which changes no other's.
    func decode(_ sample: MovieSample, isNeeded: Bool = true, _ body: (Frame, _ time: Int64) throws -> Void) throws {
        guard let context, let packet else { return }
        try DecodingFailure.check(av_new_packet(packet, Int32(sample.size)), "no memory for a sample")
        defer { av_packet_unref(packet) }
        try FileBytes.read(
            sample.offset..<sample.offset + Int64(sample.size),
            into: UnsafeMutableRawBufferPointer(start: packet.pointee.data, count: sample.size))
        packet.pointee.pts = sample.time
        packet.pointee.dts = sample.decodeTime
        if sample.isSync { packet.pointee.flags |= AV_PKT_FLAG_KEY }
        // With one thread a sample is decoded before the next one is taken.
        context.pointee.skip_frame = isNeeded ? AVDISCARD_DEFAULT : AVDISCARD_NONREF
        var status = avcodec_send_packet(context, packet)
        if status == rial_averror_again {
            try receive(body)
            status = avcodec_send_packet(context, packet)
        }
        guard status >= 0 else { return }
        try receive(body)
    }

    /// Gives the frames that are left.
    func finish(_ body: (Frame, _ time: Int64) throws -> Void) throws {
        guard let context, avcodec_send_packet(context, nil) >= 0 else { return }
        try receive(body)
    }

    private func receive(_ body: (Frame, _ time: Int64) throws -> Void) throws {
        guard let context else { return }
        while true {
            let status = avcodec_receive_frame(context, frame.pointer)
            if status == rial_averror_again || status == rial_averror_eof { return }
            // A picture that is damaged beyond decoding: the next one may be sound.
            guard status >= 0 else { return }
            defer { frame.clear() }
            try body(frame, frame.pointer.pointee.pts)
        }
    }
}
