import CaptureProtocol
import Foundation

/// A JPEG without a manifest store, into which one can be laid without parsing it again: in APP11 segments (C2PA 2.4 annex A.3.1).
struct PlainPhoto {
    let bytes: [UInt8]
    /// Where the library puts a store too: behind the last APP0, or the start of the image if there is none.
    let offset: Int

    /// - Returns: `nil` unless it begins with whole segments up to a scan, none of them APP11, and ends as an image.
    init?(_ bytes: [UInt8]) {
        guard bytes.starts(with: [0xff, 0xd8]), bytes.suffix(2).elementsEqual([0xff, 0xd9]) else { return nil }
        var position = 2
        var offset = 2
        while position + 4 <= bytes.count, bytes[position] == 0xff {
            let marker = bytes[position + 1]
            let length = Int(bytes[position + 2]) << 8 | Int(bytes[position + 3])
            // Neither fill bytes nor markers without a length.
            guard (0xc0...0xfe).contains(marker), !(0xd0...0xd9).contains(marker), marker != 0xeb, length >= 2 else { return nil }
            if marker == 0xda {
                self.bytes = bytes
                self.offset = offset
                return
            }
            position += 2 + length
            if marker == 0xe0 { offset = position }
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

    /// Joins the segments in which the library composes a store.
    /// - Returns: `nil` unless they are the parts of one whole box.
    static func store(in segments: [UInt8]) -> [UInt8]? {
        var store: [UInt8] = []
        var rest = segments[...]
        while !rest.isEmpty {
            let length = rest.dropFirst(2).prefix(2).reduce(0) { $0 << 8 | Int($1) }
            // Marker, length, CI, the box's instance and the packet's number; then LBox and TBox, in each segment, and a part of the box.
            guard rest.starts(with: [0xff, 0xeb]), length >= 18, rest.count >= 2 + length else { return nil }
            store += rest.prefix(2 + length).dropFirst(store.isEmpty ? 12 : 20)
            rest = rest.dropFirst(2 + length)
        }
        let declared = store.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        return !store.isEmpty && store.count == declared ? store : nil
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
