import ManifestStore
import TestSupport
import Testing

@Suite("Manifest stores in JPEGs")
struct EmbeddedStoreTests {
    private static let scan: [UInt8] = [0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 0x55, 0xff, 0xd9]
    private static let comment: [UInt8] = [0xff, 0xfe, 0, 4, 1, 2]

    private static func number(_ value: Int, _ count: Int = 4) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    /// A superbox "c2pa" of this size.
    private static func box(_ size: Int = 200) -> [UInt8] {
        number(size) + Array("jumb".utf8) + number(30) + Array("jumdc2pa".utf8) + (0..<size - 20).map { UInt8(truncatingIfNeeded: $0) }
    }

    private static func segment(_ content: [UInt8], instance: Int = 0x0211, sequence: Int = 1, mark: String = "JP") -> [UInt8] {
        let payload = Array(mark.utf8) + number(instance, 2) + number(sequence) + content
        return [0xff, 0xeb] + number(payload.count + 2, 2) + payload
    }

    /// The box cut into segments; each but the first repeats its header.
    private static func segments(_ box: [UInt8], cuts: [Int]) -> [[UInt8]] {
        let bounds = [0] + cuts + [box.count]
        return zip(bounds, bounds.dropFirst()).enumerated().map { index, range in
            segment((index == 0 ? [] : Array(box.prefix(8))) + box[range.0..<range.1], sequence: index + 1)
        }
    }

    @Test("are assembled from one or more segments", arguments: [[], [100], [24, 25, 199]])
    func whole(cuts: [Int]) throws {
        let pieces = Self.segments(Self.box(), cuts: cuts)
        let jpeg = [0xff, 0xd8] + Self.comment + pieces.joined() + Self.comment + Self.scan
        let found = try #require(EmbeddedStore(jpegHead: jpeg))
        #expect(found.bytes == Self.box())
        #expect(found.range == 8..<8 + pieces.joined().count)
    }

    @Test("are ignored unless complete, in order, contiguous and the only one")
    func unsound() {
        let box = Self.box()
        let pieces = Self.segments(box, cuts: [100, 150])
        let start: [UInt8] = [0xff, 0xd8]
        let files: [(String, [UInt8])] = [
            ("none", start + Self.comment + Self.scan), ("no start", Self.segment(box) + Self.scan), ("no scan", start + Self.segment(box)),
            ("a segment missing", start + pieces[0] + pieces[2] + Self.scan),
            ("the last missing", start + pieces[0] + pieces[1] + Self.scan),
            ("out of order", start + pieces[0] + pieces[2] + pieces[1] + Self.scan),
            ("apart", start + pieces[0] + Self.comment + pieces[1] + pieces[2] + Self.scan),
            ("twice", start + Self.segment(box) + Self.segment(box) + Self.scan),
            ("twice, numbered on", start + Self.segment(box) + Self.segment(box, sequence: 2) + Self.scan),
            ("beside another box", start + Self.segment(box) + Self.segment(box, instance: 3) + Self.scan),
            (
                "behind another box",
                start + Self.segment([0, 0, 0, 20] + Array("jumb".utf8) + [UInt8](repeating: 0, count: 12)) + Self.segment(box) + Self.scan
            ),
            ("of another mark", start + Self.segment(box, mark: "XX") + Self.scan),
            ("from 2", start + Self.segment(box, sequence: 2) + Self.scan),
            ("longer than it says", start + Self.segment(Self.number(150) + box.dropFirst(4)) + Self.scan),
            ("shorter than it says", start + Self.segment(Self.number(250) + box.dropFirst(4)) + Self.scan),
            ("of 4 GB", start + Self.segment(Self.number(0xffff_ffff) + box.dropFirst(4)) + Self.scan),
            ("of another kind", start + Self.segment(box.map { $0 == UInt8(ascii: "2") ? 0x33 : $0 }) + Self.scan),
            ("behind fill bytes", start + [0xff] + Self.segment(box) + Self.scan),
            ("behind the scan", start + Self.scan + Self.segment(box)),
            (
                "of an instance of two",
                start + pieces[0] + Self.segment(Array(box.prefix(8) + box[100...]), instance: 9, sequence: 2) + Self.scan
            ),
        ]
        for (name, jpeg) in files { #expect(EmbeddedStore(jpegHead: jpeg) == nil, "\(name)") }
    }

    @Test("never trap, wherever a file is cut or changed")
    func hostile() {
        let jpeg = [0xff, 0xd8] + Self.comment + Self.segments(Self.box(), cuts: [100, 150]).joined() + Self.scan
        for count in 0...jpeg.count { _ = EmbeddedStore(jpegHead: Array(jpeg.prefix(count))) }
        for offset in jpeg.indices {
            for value: UInt8 in [0, 1, 0x7f, 0x80, 0xeb, 0xff] {
                var other = jpeg
                other[offset] = value
                if let found = EmbeddedStore(jpegHead: other) {
                    #expect(found.range.upperBound <= other.count && found.bytes.count < found.range.count)
                    _ = StoreIdentity(found.bytes)
                }
            }
        }
        for _ in 0..<200 { _ = EmbeddedStore(jpegHead: [0xff, 0xd8, 0xff, 0xeb] + HostileBytes.noise(300)) }
        for depth in [1, 100, 20_000] { #expect(StoreIdentity(HostileBytes.nested(depth)) == nil) }
    }
}
