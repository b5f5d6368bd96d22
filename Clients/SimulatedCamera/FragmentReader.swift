import CaptureKit
import Movie

/// Reads the fragmented MP4 (ISO/IEC 14496-12 §8.8) that our `ffmpeg` writes to its output, one sample in each fragment, as it comes.
struct FragmentReader {
    /// Payload of `avcC` or `hvcC`, or of `esds` behind version and flags.
    private(set) var configuration: [UInt8]?
    private(set) var colour: [UInt8]?
    /// Ticks per second.
    private(set) var timescale: UInt32 = 0
    private(set) var samples: [EncodedSample] = []
    private var pending: [UInt8] = []
    private var fragment = Fragment()

    private struct Fragment {
        var decodeTime: Int64 = 0
        var offset: Int64 = 0
        var duration: UInt32 = 0
        var flags: UInt32 = 0
    }

    mutating func consume(_ bytes: [UInt8]) {
        pending += bytes
        var start = 0
        while let size = Self.number(pending, start, 4), size >= 8, start + size <= pending.count {
            read(Array(pending[start + 4..<start + 8]), Array(pending[start + 8..<start + size]))
            start += size
        }
        pending.removeFirst(start)
    }

    /// Hands over the samples that were read.
    mutating func take() -> [EncodedSample] {
        defer { samples = [] }
        return samples
    }

    private mutating func read(_ type: [UInt8], _ payload: [UInt8]) {
        switch String(decoding: type, as: UTF8.self) {
        case "moov", "trak", "mdia", "minf", "stbl", "moof", "traf": readBoxes(payload, from: 0)
        case "mdhd": timescale = UInt32(Self.number(payload, 12, 4) ?? 0)
        // Version, flags and the count of entries come before the sample entry.
        case "stsd": readBoxes(payload, from: 8)
        case "avc1", "hvc1": readBoxes(payload, from: 78)
        case "mp4a": readBoxes(payload, from: 28)
        case "avcC", "hvcC": configuration = payload
        case "colr": colour = payload
        case "esds": configuration = Array(payload.dropFirst(4))
        case "tfdt": fragment.decodeTime = Int64(Self.number(payload, 4, payload.first == 1 ? 8 : 4) ?? 0)
        case "tfhd": readHeader(payload)
        case "trun": readRun(payload)
        case "mdat":
            samples.append(
                EncodedSample(
                    bytes: payload, decodeTime: fragment.decodeTime, presentationTime: fragment.decodeTime + fragment.offset,
                    duration: fragment.duration, isSync: fragment.flags & 0x10000 == 0))
        default: break
        }
    }

    private mutating func readBoxes(_ bytes: [UInt8], from first: Int) {
        var start = first
        while let size = Self.number(bytes, start, 4), size >= 8, start + size <= bytes.count {
            read(Array(bytes[start + 4..<start + 8]), Array(bytes[start + 8..<start + size]))
            start += size
        }
    }

    /// Defaults of the fragment: duration, size and flags.
    private mutating func readHeader(_ payload: [UInt8]) {
        let flags = Self.number(payload, 0, 4) ?? 0
        var place = 8
        func skip(_ bit: Int, _ bytes: Int) { if flags & bit != 0 { place += bytes } }
        skip(1, 8)
        skip(2, 4)
        if flags & 8 != 0 { fragment.duration = UInt32(Self.number(payload, place, 4) ?? 0) }
        skip(8, 4)
        skip(16, 4)
        if flags & 32 != 0 { fragment.flags = UInt32(Self.number(payload, place, 4) ?? 0) }
    }

    /// What differs from the defaults, and how much later than decoded it is shown.
    private mutating func readRun(_ payload: [UInt8]) {
        let flags = Self.number(payload, 0, 4) ?? 0
        var place = 8 + (flags & 1 != 0 ? 4 : 0)
        fragment.offset = 0
        func next() -> UInt32 {
            defer { place += 4 }
            return UInt32(Self.number(payload, place, 4) ?? 0)
        }
        if flags & 4 != 0 { fragment.flags = next() }
        if flags & 0x100 != 0 { fragment.duration = next() }
        if flags & 0x200 != 0 { _ = next() }
        if flags & 0x400 != 0 { fragment.flags = next() }
        if flags & 0x800 != 0 { fragment.offset = Int64(Int32(bitPattern: next())) }
    }

    private static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int? {
        guard offset >= 0, offset + count <= bytes.count else { return nil }
        return bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
    }
}
