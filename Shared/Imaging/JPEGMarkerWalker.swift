/// Goes through the marker segments of a JPEG up to the first scan (ITU-T T.81 B.1).
struct JPEGMarkerWalker {
    struct Segment {
        let marker: UInt8
        /// From the marker's 0xff to the payload's end.
        let whole: Range<Int>
        let payload: Range<Int>
        let isEXIF: Bool

        /// SOF0 to SOF15 without DHT, JPG and DAC.
        var isFrameHeader: Bool { (0xc0...0xcf).contains(marker) && ![0xc4, 0xc8, 0xcc].contains(marker) }
        var isScanHeader: Bool { marker == 0xda }
    }
    private let bytes: [UInt8]
    private var position = 2
    /// The walk ended at a scan header or the image's end, not at bytes that make no sense or are cut off.
    private(set) var isComplete = false

    /// - Parameter bytes: begins with SOI.
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// `nil` after the first scan header, at the end, or where the bytes make no sense.
    mutating func next() -> Segment? {
        guard !isComplete, position + 1 < bytes.count, bytes[position] == 0xff else { return nil }
        let start = position
        var index = position + 1
        while index < bytes.count, bytes[index] == 0xff { index += 1 }
        guard index < bytes.count else { return nil }
        let marker = bytes[index]
        if marker == 0xd9 {
            isComplete = true
            return nil
        }
        if marker == 0x01 || (0xd0...0xd7).contains(marker) {
            position = index + 1
            return Segment(marker: marker, whole: start..<position, payload: position..<position, isEXIF: false)
        }
        guard marker != 0, index + 2 < bytes.count else { return nil }
        let length = Int(bytes[index + 1]) << 8 | Int(bytes[index + 2])
        let end = index + 1 + length
        guard length >= 2, end <= bytes.count else { return nil }
        position = end
        let payload = index + 3..<end
        if marker == 0xda { isComplete = true }
        let isEXIF = marker == 0xe1 && bytes[payload].starts(with: Array("Exif\0\0".utf8))
        return Segment(marker: marker, whole: start..<end, payload: payload, isEXIF: isEXIF)
    }
}
