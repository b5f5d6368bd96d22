/// Building blocks of files that attack their parser.
public enum HostileBytes {
    /// The first box of an ISO base media file (ISO/IEC 14496-12 §4.3).
    public static let ftyp = box("ftyp", Array("isom".utf8) + [0, 0, 0, 0])

    /// JPEG with one APP11 segment that holds a JUMBF box (ISO/IEC 19566-5 §D.2).
    public static func photo(carrying box: [UInt8]) -> [UInt8] {
        // Common identifier, box instance, packet sequence; length and type of the box are part of it.
        let segment = Array("JP".utf8) + [0, 1, 0, 0, 0, 1] + box
        return [0xff, 0xd8, 0xff, 0xeb] + number(segment.count + 2).suffix(2) + segment + [0xff, 0xd9]
    }

    /// Nested superboxes, each with its description (ISO/IEC 19566-5 §A.3).
    public static func nested(_ depth: Int) -> [UInt8] {
        let type = Array("c2pa".utf8) + [0, 0x11, 0, 0x10, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71, 3]
        let description = box("jumd", type + Array("c2pa\0".utf8))
        let level = 8 + description.count
        return (1...depth).reversed().flatMap { number($0 * level) + Array("jumb".utf8) + description }
    }

    /// Nested `moov` boxes after the first box of a video.
    public static func nestedMovie(_ depth: Int) -> [UInt8] {
        ftyp + (1...depth).reversed().flatMap { number($0 * 8) + Array("moov".utf8) }
    }

    /// A video whose media box claims a length of 2^63 bytes.
    public static let endlessMovie = ftyp + number(1) + Array("mdat".utf8) + [0x7f] + [UInt8](repeating: 0xff, count: 7)

    public static func box(_ type: String, _ content: [UInt8]) -> [UInt8] { number(8 + content.count) + Array(type.utf8) + content }

    /// 32 bits, big-endian.
    public static func number(_ value: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: value).bigEndian) { Array($0) }
    }

    /// Pseudo-random bytes, the same in every run (xorshift).
    public static func noise(_ count: Int) -> [UInt8] {
        var state: UInt64 = 0x9e37_79b9_7f4a_7c15
        return (0..<count).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return UInt8(truncatingIfNeeded: state)
        }
    }
}
