/// Iterates over the marker segments of a JPEG (ITU-T T.81 B.1).
///
/// Stops before scan data: to continue after them, call ``move(to:)``.
package struct JPEGMarkerWalker {
    package struct Segment {
        package let marker: UInt8
        /// Length field and payload; empty for a marker without a segment.
        package let body: Range<Int>
        package let payload: Range<Int>
        let isEXIF: Bool

        /// SOF0 to SOF15 without DHT, JPG and DAC.
        var isFrameHeader: Bool { (0xc0...0xcf).contains(marker) && ![0xc4, 0xc8, 0xcc].contains(marker) }
        package var isScanHeader: Bool { marker == 0xda }
    }
    private let bytes: [UInt8]
    /// Where the next marker is expected.
    private(set) var position = 2
    /// Whether the last marker was EOI: bytes after it are not part of the image.
    private(set) var isAtEnd = false
    private var isInScan = false

    /// - Parameter bytes: must begin with SOI.
    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next segment; `nil` after a scan header, at the end, or at malformed or truncated bytes.
    package mutating func next() -> Segment? {
        while true {
            guard !isAtEnd, !isInScan, position + 1 < bytes.count, bytes[position] == 0xff else { return nil }
            var index = position + 1
            while index < bytes.count, bytes[index] == 0xff { index += 1 }
            guard index < bytes.count else { return nil }
            let marker = bytes[index]
            switch marker {
            case 0xd9:
                isAtEnd = true
                return Segment(marker: marker, body: index + 1..<index + 1, payload: index + 1..<index + 1, isEXIF: false)
            case 0x01, 0xd0...0xd7: position = index + 1
            case 0x00, 0xd8: return nil
            default: return segment(marker, bodyAt: index + 1)
            }
        }
    }

    /// Continues at a marker after scan data.
    mutating func move(to position: Int) {
        self.position = position
        isInScan = false
    }

    private mutating func segment(_ marker: UInt8, bodyAt start: Int) -> Segment? {
        guard start + 1 < bytes.count else { return nil }
        let length = Int(bytes[start]) << 8 | Int(bytes[start + 1])
        let end = start + length
        guard length >= 2, end <= bytes.count else { return nil }
        position = end
        isInScan = marker == 0xda
        let isEXIF = marker == 0xe1 && bytes[start + 2..<end].starts(with: Array("Exif\0\0".utf8))
        return Segment(marker: marker, body: start..<end, payload: start + 2..<end, isEXIF: isEXIF)
    }
}
