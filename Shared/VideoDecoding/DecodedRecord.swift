/// One piece of what `video-decoder` writes to its standard output. Numbers are little-endian: a type of one byte, a sample number or count
/// of four, width and height of two each, length of four, then the payload.
public enum DecodedRecord: Sendable, Equatable {
    /// The brightness of a keyframe as stored, scaled by area: one byte a pixel, row-major, as the file codes it.
    case luma(sample: Int, width: Int, height: Int, pixels: [UInt8])
    /// The first frame shown, as stored: red, green and blue, interleaved.
    case poster(width: Int, height: Int, pixels: [UInt8])
    /// Payload of `avcC` of the playback copy, and its size in pixels; before its samples.
    case playbackFormat(width: Int, height: Int, configuration: [UInt8])
    /// The next sample of the playback copy, in decoding order.
    case playbackSample(PlaybackSample)
    /// How many pictures were decoded; the last record.
    case end(pictures: Int)

    /// A sample of the playback copy: H.264 with lengths of four bytes.
    public struct PlaybackSample: Sendable, Equatable {
        /// Ticks of the video's timescale, relative to the first frame shown.
        public let time: Int64
        /// Ticks; ascending.
        public let decodeTime: Int64
        public let isSync: Bool
        public let bytes: [UInt8]

        public init(time: Int64, decodeTime: Int64, isSync: Bool, bytes: [UInt8]) {
            self.time = time
            self.decodeTime = decodeTime
            self.isSync = isSync
            self.bytes = bytes
        }
    }

    static let headerBytes = 13

    enum Kind: UInt8 {
        case luma = 1
        case poster, playbackFormat, playbackSample, end
    }

    /// The record as written.
    public var encoded: [UInt8] {
        switch self {
        case .luma(let sample, let width, let height, let pixels): Self.record(.luma, sample, width, height, pixels)
        case .poster(let width, let height, let pixels): Self.record(.poster, 0, width, height, pixels)
        case .playbackFormat(let width, let height, let configuration): Self.record(.playbackFormat, 0, width, height, configuration)
        case .playbackSample(let sample):
            Self.record(
                .playbackSample, sample.isSync ? 1 : 0, 0, 0,
                Self.littleEndian(sample.time) + Self.littleEndian(sample.decodeTime) + sample.bytes)
        case .end(let pictures): Self.record(.end, pictures, 0, 0, [])
        }
    }

    private static func record(_ kind: Kind, _ number: Int, _ width: Int, _ height: Int, _ payload: [UInt8]) -> [UInt8] {
        [kind.rawValue] + littleEndian(UInt32(clamping: number)) + littleEndian(UInt16(clamping: width))
            + littleEndian(UInt16(clamping: height)) + littleEndian(UInt32(clamping: payload.count)) + payload
    }

    private static func littleEndian(_ number: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: number.littleEndian) { Array($0) } }

    /// No sample of an accepted video is later, in ticks; sums and differences of such times do not overflow.
    private static let latest: Int64 = 1 << 46

    /// Reads a whole record.
    /// - Returns: `nil` if it is malformed.
    init?(kind: Kind, number: Int, width: Int, height: Int, payload: [UInt8]) {
        switch kind {
        case .luma:
            guard payload.count == width * height, width > 0, height > 0 else { return nil }
            self = .luma(sample: number, width: width, height: height, pixels: payload)
        case .poster:
            guard payload.count == 3 * width * height, width > 0, height > 0 else { return nil }
            self = .poster(width: width, height: height, pixels: payload)
        case .playbackFormat: self = .playbackFormat(width: width, height: height, configuration: payload)
        case .playbackSample:
            guard payload.count > 16 else { return nil }
            func time(_ offset: Int) -> Int64 {
                payload.withUnsafeBytes { Int64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Int64.self)) }
            }
            let times = -Self.latest...Self.latest
            guard times.contains(time(0)), times.contains(time(8)) else { return nil }
            self = .playbackSample(
                PlaybackSample(time: time(0), decodeTime: time(8), isSync: number == 1, bytes: Array(payload[16...])))
        case .end: self = .end(pictures: number)
        }
    }
}

/// Reads records from a stream of bytes as they come.
struct DecodedRecordReader {
    /// The largest payload: a poster of 1656 × 1656 pixels has 8.2 MB.
    static let maximumPayload = 16 << 20

    private var header: [UInt8] = []
    private var payload: [UInt8] = []
    private var open: (kind: DecodedRecord.Kind, number: Int, width: Int, height: Int, length: Int)?

    /// - Returns: false if the bytes are no records; nothing may be fed after that.
    mutating func feed(_ bytes: ArraySlice<UInt8>, _ body: (DecodedRecord) -> Bool) -> Bool {
        var rest = bytes
        while true {
            if let current = open {
                let part = rest.prefix(current.length - payload.count)
                payload += part
                rest = rest.dropFirst(part.count)
                guard payload.count == current.length else { return true }
                guard
                    let record = DecodedRecord(
                        kind: current.kind, number: current.number, width: current.width, height: current.height, payload: payload),
                    body(record)
                else { return false }
                open = nil
                payload = []
            } else {
                let part = rest.prefix(DecodedRecord.headerBytes - header.count)
                header += part
                rest = rest.dropFirst(part.count)
                guard header.count == DecodedRecord.headerBytes else { return true }
                guard let kind = DecodedRecord.Kind(rawValue: header[0]) else { return false }
                let length = number(9, UInt32.self)
                guard length <= Self.maximumPayload else { return false }
                open = (kind, Int(number(1, UInt32.self)), Int(number(5, UInt16.self)), Int(number(7, UInt16.self)), Int(length))
                header = []
            }
        }
    }

    private func number<Number: FixedWidthInteger>(_ offset: Int, _ type: Number.Type) -> Number {
        header.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self)) }
    }
}
