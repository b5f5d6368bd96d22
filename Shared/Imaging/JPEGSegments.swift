import Foundation

/// Edits the segments of a JPEG without decoding its pixels.
public enum JPEGSegments {
    /// Returns a copy without data that reveal more than the picture: GPS, maker notes, serial numbers, XMP, IPTC, comments, embedded
    /// previews and anything after the image (multi-picture files).
    ///
    /// Only segments that are part of the picture are kept: tables, frames and scans byte for byte, ICC profile, Adobe's colour transform,
    /// the JFIF header without its thumbnail. EXIF is rewritten with the tags of ``EXIFPublicTags``.
    /// - Throws: ``ImagingError`` `corrupt` if segments or scan data are malformed before the end of the image.
    public static func publicCopy(of jpeg: [UInt8]) throws(ImagingError) -> [UInt8] {
        guard jpeg.count >= 4, jpeg[0] == 0xff, jpeg[1] == 0xd8 else { throw ImagingError(.corrupt, "not a JPEG") }
        var jfif: [UInt8] = []
        var exif: [UInt8]?
        var picture: [UInt8] = []
        picture.reserveCapacity(jpeg.count)
        var walker = JPEGMarkerWalker(jpeg)
        var hasScan = false
        while !walker.isAtEnd {
            guard let segment = walker.next() else { throw ImagingError(.corrupt, "no segment at byte \(walker.position)") }
            if segment.marker == 0xe0 {
                if jfif.isEmpty, !hasScan { jfif = jfifHeader(jpeg[segment.payload]) }
            } else if segment.isEXIF {
                // Readers ignore EXIF after the first scan.
                if exif == nil, !hasScan { exif = TIFFReader(jpeg[segment.payload].dropFirst(6)).map(EXIFWriter.publicSegment) }
            } else if isPartOfPicture(segment, in: jpeg) {
                picture += [0xff, segment.marker] + jpeg[segment.body]
            }
            guard segment.isScanHeader else { continue }
            hasScan = true
            guard let end = endOfScan(in: jpeg, from: segment.payload.upperBound) else {
                throw ImagingError(.corrupt, "the scan data have no end")
            }
            picture += jpeg[segment.payload.upperBound..<end]
            walker.move(to: end)
        }
        guard hasScan else { throw ImagingError(.corrupt, "no scan") }
        return [0xff, 0xd8] + jfif + (exif ?? []) + picture + [0xff, 0xd9]
    }

    /// Whether it is a segment of ITU-T T.81, an ICC profile (APP2) or Adobe's colour transform (APP14).
    private static func isPartOfPicture(_ segment: JPEGMarkerWalker.Segment, in jpeg: [UInt8]) -> Bool {
        switch segment.marker {
        case 0xc0...0xc7, 0xc9...0xcf, 0xda...0xdf: true
        case 0xe2: jpeg[segment.payload].starts(with: Array("ICC_PROFILE\0".utf8))
        case 0xee: segment.payload.count == 12 && jpeg[segment.payload].starts(with: Array("Adobe".utf8))
        default: false
        }
    }

    /// APP0 with version, units and densities (ITU-T T.871 §10.1); empty for anything but JFIF.
    private static func jfifHeader(_ payload: ArraySlice<UInt8>) -> [UInt8] {
        guard payload.count >= 14, payload.starts(with: Array("JFIF\0".utf8)) else { return [] }
        return [0xff, 0xe0, 0, 16] + payload.prefix(12) + [0, 0]
    }

    /// The position of the next marker that is neither stuffing nor a restart (T.81 B.1.1.2, B.1.1.5).
    private static func endOfScan(in jpeg: [UInt8], from start: Int) -> Int? {
        jpeg.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return nil }
            var index = start
            while index + 1 < bytes.count {
                guard let found = memchr(base + index, 0xff, bytes.count - index - 1) else { return nil }
                index = UnsafeRawPointer(found) - base
                switch bytes[index + 1] {
                case 0x00, 0xd0...0xd7: index += 2
                // Fill bytes before a marker.
                case 0xff: index += 1
                default: return index
                }
            }
            return nil
        }
    }
}
