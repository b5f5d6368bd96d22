import CaptureProtocol
import Foundation
import JPEGMetadata
import ManifestStore

/// A JPEG without a manifest store, into which one can be laid without parsing it again: in APP11 segments (C2PA 2.4 annex A.3.1).
struct PlainPhoto {
    let bytes: [UInt8]
    /// Where the library puts a store too: behind the last APP0, or the start of the image if there is none.
    let offset: Int

    /// How many segments a store of 4 MiB has, the most that a copy has more than its photo.
    private static let storeSegments = 70

    /// - Returns: `nil` unless it begins with whole segments up to a scan, none of them APP11 and no more than ``EmbeddedStore`` reads with
    ///   those of a store, and ends as an image.
    init?(_ bytes: [UInt8]) {
        guard bytes.starts(with: [0xff, 0xd8]), bytes.suffix(2).elementsEqual([0xff, 0xd9]) else { return nil }
        var walker = JPEGMarkerWalker(bytes)
        var (end, offset) = (2, 2)
        for _ in 0..<EmbeddedStore.maximumSegments - Self.storeSegments {
            guard let segment = walker.next() else { return nil }
            // EmbeddedStore reads neither fill bytes nor markers without a length, which would lie before the segment's marker.
            guard segment.body.lowerBound == end + 2, (0xc0...0xfe).contains(segment.marker), segment.marker != 0xeb else { return nil }
            if segment.isScanHeader {
                self.bytes = bytes
                self.offset = offset
                return
            }
            end = segment.body.upperBound
            if segment.marker == 0xe0 { offset = end }
        }
        return nil
    }

    /// The photo with a store.
    func copy(with segments: [UInt8]) -> [UInt8] {
        var copy: [UInt8] = []
        copy.reserveCapacity(bytes.count + segments.count)
        copy += bytes[..<offset]
        copy += segments
        copy += bytes[offset...]
        return copy
    }

    /// The hard binding of the copy (`c2pa.hash.data`, C2PA 2.4 §18.5), as the library reads it.
    /// - Parameter length: of the segments of its store. Without them the copy is the photo.
    func binding(excluding length: Int) throws -> String {
        let binding = HardBinding(exclusions: [.init(start: offset, length: length)], hash: ContentDigest(of: bytes).bytes)
        return String(decoding: try WireJSON.encode(binding), as: UTF8.self)
    }
}

/// All of a file but the excluded parts, by its digest.
private struct HardBinding: Encodable {
    struct Exclusion: Encodable {
        let start: Int
        let length: Int
    }

    let name = "jumbf manifest"
    let alg = "sha256"
    let exclusions: [Exclusion]
    let hash: [UInt8]
    /// The library adds zeros up to the length of its placeholder.
    let pad: [UInt8] = []
}
