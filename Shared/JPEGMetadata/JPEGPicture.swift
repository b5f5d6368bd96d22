import Foundation

/// The parts of a JPEG that are the picture, and its EXIF. Comments, previews and applications' other data are left out.
struct JPEGPicture {
    /// A segment or scan data.
    private enum Piece {
        case original(Range<Int>)
        case written([UInt8])

        var count: Int {
            switch self {
            case .original(let range): range.count
            case .written(let bytes): bytes.count
            }
        }
    }

    /// The JFIF segment without its thumbnail; empty if there is none.
    private let jfif: [UInt8]
    /// Reads the first readable EXIF segment before the first scan, since other readers ignore later ones.
    let exif: TIFFReader?
    /// Width and height in pixels, from the first frame header, each at least 1; `nil` if there is none before the first scan.
    let size: (width: Int, height: Int)?
    /// The segments and scan data of the picture, in order.
    private let pieces: [Piece]

    /// - Throws: ``JPEGError`` `corrupt` if segments or scan data are malformed before the end of the image, or there is no scan.
    init(in jpeg: [UInt8]) throws(JPEGError) {
        guard jpeg.count >= 4, jpeg[0] == 0xff, jpeg[1] == 0xd8 else { throw JPEGError(.corrupt, "not a JPEG") }
        var (jfif, exif, pieces) = ([UInt8](), TIFFReader?.none, [Piece]())
        var size: (width: Int, height: Int)?
        var hasScan = false
        var walker = JPEGMarkerWalker(jpeg)
        while !walker.isAtEnd {
            guard let segment = walker.next() else { throw JPEGError(.corrupt, "no segment at byte \(walker.position)") }
            if segment.marker == 0xe0 {
                if jfif.isEmpty, !hasScan { jfif = Self.jfifHeader(jpeg[segment.payload]) }
            } else if segment.isEXIF {
                if exif == nil, !hasScan { exif = TIFFReader(jpeg[segment.payload].dropFirst(6)) }
            } else if segment.marker == 0xee {
                if let adobe = Self.adobeSegment(jpeg[segment.payload]) { pieces.append(.written(adobe)) }
            } else if Self.isPartOfPicture(segment, in: jpeg) {
                if size == nil, !hasScan, segment.isFrameHeader { size = Self.size(jpeg[segment.payload]) }
                // Fill bytes before the marker are left out: the byte before its code is always 0xff.
                pieces.append(.original(segment.body.lowerBound - 2..<segment.body.upperBound))
            }
            guard segment.isScanHeader else { continue }
            hasScan = true
            guard let end = Self.endOfScan(in: jpeg, from: segment.payload.upperBound) else {
                throw JPEGError(.corrupt, "the scan data have no end")
            }
            pieces.append(.original(segment.payload.upperBound..<end))
            walker.move(to: end)
        }
        guard hasScan else { throw JPEGError(.corrupt, "no scan") }
        (self.jfif, self.exif, self.size, self.pieces) = (jfif, exif, size, pieces)
    }

    /// The picture alone, with this EXIF.
    /// - Parameter jpeg: the bytes that were given to ``init(in:)``.
    /// - Throws: ``JPEGError`` `tooLarge`.
    func copy(of jpeg: [UInt8], exif: EXIFDirectories?) throws(JPEGError) -> [UInt8] {
        let segment = try exif?.segment() ?? []
        var copy: [UInt8] = []
        copy.reserveCapacity(jfif.count + segment.count + pieces.reduce(4) { $0 + $1.count })
        copy += [0xff, 0xd8]
        copy += jfif
        copy += segment
        for piece in pieces {
            switch piece {
            case .original(let range): copy += jpeg[range]
            case .written(let bytes): copy += bytes
            }
        }
        copy += [0xff, 0xd9]
        return copy
    }

    /// Whether it is a segment of ITU-T T.81 or an ICC profile (APP2).
    private static func isPartOfPicture(_ segment: JPEGMarkerWalker.Segment, in jpeg: [UInt8]) -> Bool {
        switch segment.marker {
        case 0xc0...0xc7, 0xc9...0xcf, 0xda...0xdf: true
        case 0xe2: jpeg[segment.payload].starts(with: Array("ICC_PROFILE\0".utf8))
        default: false
        }
    }

    /// APP0 with version, units and densities (ITU-T T.871 §10.1); empty for anything but JFIF.
    private static func jfifHeader(_ payload: ArraySlice<UInt8>) -> [UInt8] {
        guard payload.count >= 14, payload.starts(with: Array("JFIF\0".utf8)) else { return [] }
        return [0xff, 0xe0, 0, 16] + payload.prefix(12) + [0, 0]
    }

    /// APP14 with Adobe's colour transform, without what follows it: libjpeg reads the first 12 bytes of a longer one. `nil` for anything
    /// else.
    private static func adobeSegment(_ payload: ArraySlice<UInt8>) -> [UInt8]? {
        guard payload.count >= 12, payload.starts(with: Array("Adobe".utf8)) else { return nil }
        return [0xff, 0xee, 0, 14] + payload.prefix(12)
    }

    /// The size in a frame header (T.81 §B.2.2), which has precision, height and width.
    private static func size(_ payload: ArraySlice<UInt8>) -> (width: Int, height: Int)? {
        guard payload.count >= 5 else { return nil }
        let numbers = payload.dropFirst().prefix(4).map(Int.init)
        let (height, width) = (numbers[0] << 8 | numbers[1], numbers[2] << 8 | numbers[3])
        return width >= 1 && height >= 1 ? (width, height) : nil
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
