/// The properties of a JPEG that determine the cost of decoding, read from its markers without allocation (ITU-T T.81 §B.2).
struct JPEGHeader: Equatable {
    let width: Int
    let height: Int
    let components: Int
    /// Whether the decoder keeps all coefficients in memory: for progressive pictures, or components in several scans.
    let isBuffered: Bool

    /// Reads the markers up to the first scan.
    /// - Throws: ``ImagingError`` `corrupt` without a frame before the first scan, `unsupported` for kinds that libjpeg-turbo does not
    ///   decode to 8 bits.
    init(_ bytes: UnsafeRawBufferPointer) throws(ImagingError) {
        guard bytes.count >= 4, bytes[0] == 0xFF, bytes[1] == 0xD8 else { throw ImagingError(.corrupt, "no SOI marker") }
        var frame: Frame?
        var offset = 2
        while let (marker, start) = Self.nextMarker(bytes, from: offset) {
            if marker == 0x01 || (0xD0...0xD8).contains(marker) {
                offset = start
                continue
            }
            guard marker != 0xD9, start + 2 <= bytes.count else { break }
            let length = Int(bytes[start]) << 8 | Int(bytes[start + 1])
            guard length >= 2, start + length <= bytes.count else { break }
            let body = start + 2..<start + length
            if Frame.markers.contains(marker) { frame = try Frame(bytes, marker, body) }
            if marker == 0xDA, let frame, let scanned = body.first.map({ Int(bytes[$0]) }) {
                width = frame.width
                height = frame.height
                components = frame.components
                isBuffered = frame.isProgressive || scanned < frame.components
                return
            }
            offset = start + length
        }
        throw ImagingError(.corrupt, frame == nil ? "no frame header" : "no scan")
    }

    /// - Throws: ``ImagingError`` `tooLarge`.
    func checkLimits() throws(ImagingError) {
        let most = isBuffered ? ImageLimits.maximumBufferedPixels : ImageLimits.maximumPixels
        guard width >= 1, height >= 1 else { throw ImagingError(.corrupt, "\(width)×\(height)") }
        guard width <= ImageLimits.maximumSide, height <= ImageLimits.maximumSide, width * height <= most else {
            throw ImagingError(.tooLarge, "\(width)×\(height)\(isBuffered ? ", held whole" : "")")
        }
    }

    /// Counts the scans in the file. Inside entropy-coded data 0xFF is always followed by 0 or a restart marker (§F.1.2.3), so other bytes
    /// that look like SOS can only increase the count.
    static func scanCount(_ bytes: UnsafeRawBufferPointer) -> Int {
        var count = 0
        var wasMarker = false
        for byte in bytes {
            if wasMarker, byte == 0xDA { count += 1 }
            wasMarker = byte == 0xFF
        }
        return count
    }

    /// The next marker's code and the start of its segment, after any fill bytes (§B.1.1.2).
    private static func nextMarker(_ bytes: UnsafeRawBufferPointer, from start: Int) -> (UInt8, Int)? {
        var offset = start
        while offset + 1 < bytes.count {
            if bytes[offset] == 0xFF, bytes[offset + 1] != 0xFF, bytes[offset + 1] != 0 { return (bytes[offset + 1], offset + 2) }
            offset += 1
        }
        return nil
    }

    /// A frame header (§B.2.2).
    private struct Frame {
        static let markers: Set<UInt8> = [
            0xC0, 0xC1, 0xC2, 0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF,
        ]
        let width: Int
        let height: Int
        let components: Int
        let isProgressive: Bool

        init(_ bytes: UnsafeRawBufferPointer, _ marker: UInt8, _ body: Range<Int>) throws(ImagingError) {
            guard (0xC0...0xC2).contains(marker) else { throw ImagingError(.unsupported, "SOF\(marker - 0xC0)") }
            guard body.count >= 6 else { throw ImagingError(.corrupt, "short frame header") }
            let start = body.lowerBound
            guard bytes[start] == 8 else { throw ImagingError(.unsupported, "\(bytes[start]) bits a sample") }
            height = Int(bytes[start + 1]) << 8 | Int(bytes[start + 2])
            width = Int(bytes[start + 3]) << 8 | Int(bytes[start + 4])
            components = Int(bytes[start + 5])
            guard components == 1 || components == 3 else { throw ImagingError(.unsupported, "\(components) components") }
            isProgressive = marker == 0xC2
        }
    }
}
