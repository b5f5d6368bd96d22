/// Edits the segments of a JPEG without touching its pixels.
public enum JPEGSegments {
    /// A copy without what tells more than the picture: GPS, maker notes, serial numbers, XMP, IPTC, comments, embedded previews
    /// and anything after the image.
    ///
    /// EXIF is not edited but written anew with make, model, orientation and capture time; ICC profile, JFIF and Adobe segments
    /// stay. Everything from the first scan header to the end of the image is copied byte for byte.
    /// - Throws: ``JPEGSegmentsError`` if the segments or the scan data are not sound.
    public static func publicCopy(of jpeg: [UInt8]) throws(JPEGSegmentsError) -> [UInt8] {
        guard jpeg.count >= 4, jpeg[0] == 0xff, jpeg[1] == 0xd8 else { throw .notJPEG }
        var copy: [UInt8] = [0xff, 0xd8]
        copy.reserveCapacity(jpeg.count)
        var walker = JPEGMarkerWalker(jpeg)
        var head: [UInt8] = []
        var body: [UInt8] = []
        var scanStart: Int?
        while let segment = walker.next() {
            if segment.isScanHeader {
                scanStart = segment.whole.lowerBound
                break
            }
            if segment.marker == 0xe0 { head += jpeg[segment.whole] } else if isKept(segment, in: jpeg) { body += jpeg[segment.whole] }
        }
        guard let scanStart else { throw .noScan }
        guard let end = endOfImage(in: jpeg, from: scanStart) else { throw .truncated }
        copy += head
        if let fields = EXIFReader.read(jpeg: jpeg) { copy += EXIFWriter.segment(fields) }
        copy += body
        copy += jpeg[scanStart..<end]
        return copy
    }

    /// Tables, frame headers, ICC profiles (APP2) and Adobe's colour transform (APP14) make the picture; the rest is about it.
    private static func isKept(_ segment: JPEGMarkerWalker.Segment, in jpeg: [UInt8]) -> Bool {
        switch segment.marker {
        case 0xe2: jpeg[segment.payload].starts(with: Array("ICC_PROFILE\0".utf8))
        case 0xee: jpeg[segment.payload].starts(with: Array("Adobe".utf8))
        case 0xe0...0xef, 0xfe: false
        default: true
        }
    }

    /// Behind the first EOI after the scan data: multi-picture files carry more images there. Progressive images have several scans.
    private static func endOfImage(in jpeg: [UInt8], from start: Int) -> Int? {
        var index = start
        while index + 1 < jpeg.count {
            guard jpeg[index] == 0xff else {
                index += 1
                continue
            }
            switch jpeg[index + 1] {
            case 0xd9: return index + 2
            case 0xff: index += 1
            case 0x00, 0x01, 0xd0...0xd7: index += 2
            default:
                // A segment between scans, or a scan header.
                guard index + 3 < jpeg.count else { return nil }
                let length = Int(jpeg[index + 2]) << 8 | Int(jpeg[index + 3])
                guard length >= 2 else { return nil }
                index += 2 + length
            }
        }
        return nil
    }
}

public enum JPEGSegmentsError: Error, Sendable { case notJPEG, noScan, truncated }
