import CAVCodec
import VideoDecoding

/// Encodes the smaller copy for playing: H.264 by x264, `veryfast`, constant rate factor 26, in one thread.
struct PlaybackEncoder {
    /// libavcodec's context and what belongs to it, freed together.
    private final class Context {
        var context: UnsafeMutablePointer<AVCodecContext>?
        var packet: UnsafeMutablePointer<AVPacket>?
        let picture = Frame()

        deinit {
            av_packet_free(&packet)
            avcodec_free_context(&context)
        }
    }

    private let owned = Context()
    private let scaler: (luma: PlaneScaler, colour: PlaneScaler)
    private let source: (width: Int, height: Int)
    private let size: (width: Int, height: Int)
    private var isDescribed = false

    /// - Parameters:
    ///   - first: the first frame, whose size and colours the copy has.
    ///   - rate: pictures a second, from which the level follows that players are told; without it x264 takes the timescale for it.
    init(like first: Frame, maxSide: Int, timescale: UInt32, rate: Int32) throws {
        source = (first.width, first.height)
        let fitted = PlaneScaler.size(of: source, within: maxSide)
        size = (max(16, fitted.width & ~1), max(16, fitted.height & ~1))
        scaler = (PlaneScaler(width: size.width, height: size.height), PlaneScaler(width: size.width / 2, height: size.height / 2))
        guard let encoder = avcodec_find_encoder_by_name("libx264"), let context = avcodec_alloc_context3(encoder),
            let packet = av_packet_alloc()
        else { throw DecodingFailure("libavcodec has no encoder libx264") }
        owned.context = context
        owned.packet = packet
        context.pointee.width = Int32(size.width)
        context.pointee.height = Int32(size.height)
        context.pointee.pix_fmt = AV_PIX_FMT_YUV420P
        context.pointee.time_base = AVRational(num: 1, den: Int32(clamping: timescale))
        context.pointee.framerate = AVRational(num: rate, den: 1)
        context.pointee.thread_count = 1
        context.pointee.gop_size = 60
        context.pointee.flags |= Int32(bitPattern: UInt32(AV_CODEC_FLAG_GLOBAL_HEADER))
        context.pointee.colorspace = first.pointer.pointee.colorspace
        context.pointee.color_primaries = first.pointer.pointee.color_primaries
        context.pointee.color_trc = first.pointer.pointee.color_trc
        context.pointee.color_range = first.pointer.pointee.color_range
        for (name, value) in [("preset", "veryfast"), ("crf", "26"), ("x264-params", "threads=1:sync-lookahead=0")] {
            try DecodingFailure.check(av_opt_set(context.pointee.priv_data, name, value, 0), "option \(name)")
        }
        try DecodingFailure.check(avcodec_open2(context, encoder, nil), "the encoder did not open")
        try owned.picture.allocate(width: Int32(size.width), height: Int32(size.height))
    }

    /// - Parameter time: ticks; ascending.
    /// - Returns: the records that are ready.
    mutating func encode(_ frame: Frame, time: Int64) throws -> [DecodedRecord] {
        guard let context = owned.context else { return [] }
        guard (frame.width, frame.height) == source else { throw DecodingFailure("pictures of two sizes") }
        let planes = try frame.planes()
        try DecodingFailure.check(av_frame_make_writable(owned.picture.pointer), "no memory for a picture")
        for (index, target) in (try owned.picture.planes()).enumerated() {
            let values =
                index < planes.count
                ? (index == 0 ? scaler.luma : scaler.colour).scale(planes[index])
                : [UInt8](repeating: 128, count: target.width * target.height)
            for y in 0..<target.height {
                UnsafeMutableRawPointer(mutating: target.base + y * target.stride)
                    .copyMemory(from: Array(values[y * target.width..<(y + 1) * target.width]), byteCount: target.width)
            }
        }
        owned.picture.pointer.pointee.pts = time
        owned.picture.pointer.pointee.pict_type = AV_PICTURE_TYPE_NONE
        try DecodingFailure.check(avcodec_send_frame(context, owned.picture.pointer), "a picture was not encoded")
        return try receive()
    }

    /// - Returns: `records` and those that are left.
    mutating func finish(after records: [DecodedRecord] = []) throws -> [DecodedRecord] {
        guard let context = owned.context else { return records }
        try DecodingFailure.check(avcodec_send_frame(context, nil), "the encoder did not finish")
        return records + (try receive())
    }

    private mutating func receive() throws -> [DecodedRecord] {
        guard let context = owned.context, let packet = owned.packet else { return [] }
        var records: [DecodedRecord] = []
        if !isDescribed {
            isDescribed = true
            let headers = UnsafeBufferPointer(start: context.pointee.extradata, count: Int(context.pointee.extradata_size))
            guard let configuration = AnnexB.configuration(Array(headers)) else { throw DecodingFailure("no parameter sets") }
            records.append(.playbackFormat(width: size.width, height: size.height, configuration: configuration))
        }
        while true {
            let status = avcodec_receive_packet(context, packet)
            if status == rial_averror_again || status == rial_averror_eof { return records }
            try DecodingFailure.check(status, "the encoder failed")
            defer { av_packet_unref(packet) }
            let bytes = Array(UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size)))
            records.append(
                .playbackSample(
                    .init(
                        time: packet.pointee.pts, decodeTime: packet.pointee.dts, isSync: packet.pointee.flags & AV_PKT_FLAG_KEY != 0,
                        bytes: AnnexB.units(bytes).flatMap { unit in
                            withUnsafeBytes(of: UInt32(unit.count).bigEndian) { Array($0) } + unit
                        })))
        }
    }
}

/// The byte stream format of H.264 (ITU-T H.264 Annex B), as the encoder writes it.
enum AnnexB {
    /// The units between start codes.
    static func units(_ stream: [UInt8]) -> [ArraySlice<UInt8>] {
        var units: [ArraySlice<UInt8>] = []
        var start: Int?
        var index = 0
        while index + 2 < stream.count {
            if stream[index] == 0, stream[index + 1] == 0, stream[index + 2] == 1 {
                if let start { units.append(trimmed(stream[start..<index])) }
                start = index + 3
                index += 3
            } else {
                index += 1
            }
        }
        if let start { units.append(stream[start...]) }
        return units.filter { !$0.isEmpty }
    }

    /// Without the zero byte of a longer start code that follows.
    private static func trimmed(_ unit: ArraySlice<UInt8>) -> ArraySlice<UInt8> { unit.last == 0 ? unit.dropLast() : unit }

    /// Payload of `avcC` with the parameter sets of the stream (ISO/IEC 14496-15 §5.3.3.1), lengths of four bytes.
    /// - Returns: `nil` without both kinds of sets.
    static func configuration(_ stream: [UInt8]) -> [UInt8]? {
        let units = units(stream).map(Array.init)
        let sequences = units.filter { $0[0] & 0x1f == 7 && $0.count >= 4 }
        let pictures = units.filter { $0[0] & 0x1f == 8 }
        guard let first = sequences.first, !pictures.isEmpty, sequences.count < 32, pictures.count < 256 else { return nil }
        func sets(_ units: [[UInt8]]) -> [UInt8] { units.flatMap { [UInt8($0.count >> 8 & 0xff), UInt8($0.count & 0xff)] + $0 } }
        let profile = first[1]
        var bytes: [UInt8] = [1, profile, first[2], first[3], 0xff, 0xe0 | UInt8(sequences.count)] + sets(sequences)
        bytes += [UInt8(pictures.count)] + sets(pictures)
        // The high profiles say their formats too: 4:2:0 of 8 bits.
        if ![66, 77, 88].contains(profile) { bytes += [0xfd, 0xf8, 0xf8, 0] }
        return bytes
    }
}
