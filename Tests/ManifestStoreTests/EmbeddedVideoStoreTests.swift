import ManifestStore
import TestSupport
import Testing

@Suite("Manifest stores in videos")
struct EmbeddedVideoStoreTests {
    private static let store: [UInt8] = be32(60) + Array("jumb".utf8) + (0..<52).map { UInt8(truncatingIfNeeded: $0) }

    /// The box of a store, as the library writes it.
    private static func box(
        _ store: [UInt8] = store, identifier: [UInt8] = EmbeddedVideoStore.boxIdentifier, purpose: String = "manifest\0", merkle: Int = 0
    ) -> TestBox {
        TestBox("uuid", identifier + be32(0) + Array(purpose.utf8) + be64(merkle) + store)
    }

    private static var head: TestBox { TestBox("ftyp", Array("mp42".utf8) + be32(0)) }
    private static var media: [TestBox] { [TestBox("moov", [1, 2, 3]), TestBox("mdat", [4, 5, 6, 7])] }

    private static func file(_ boxes: [TestBox]) -> [UInt8] { boxes.flatMap(\.bytes) }

    private static func read(_ file: [UInt8]) -> EmbeddedVideoStore? {
        EmbeddedVideoStore(fileLength: Int64(file.count)) { range in
            guard range.lowerBound >= 0, range.upperBound <= file.count else { return nil }
            return Array(file[Int(range.lowerBound)..<Int(range.upperBound)])
        }
    }

    @Test("are found with the places of all other boxes, wherever their box stands")
    func found() throws {
        for place in 0...3 {
            var boxes = [Self.head] + Self.media
            boxes.insert(Self.box(), at: place)
            let found = try #require(Self.read(Self.file(boxes)))
            #expect(found.bytes == Self.store)
            var position: Int64 = 0
            var (types, ranges) = ([String](), [Range<Int64>]())
            for box in boxes {
                let range = position..<position + Int64(box.bytes.count)
                if box.type != "uuid" {
                    types.append(box.type)
                    ranges.append(range)
                }
                position = range.upperBound
            }
            #expect(found.others.map { String(decoding: $0.type, as: UTF8.self) } == types)
            #expect(found.others.map(\.range) == ranges)
        }
    }

    @Test("are told from other uuid boxes, which are boxes like any other")
    func otherIdentifiers() throws {
        let foreign = Self.box(identifier: [UInt8](repeating: 7, count: 16))
        let found = try #require(Self.read(Self.file([Self.head, foreign, Self.box(), TestBox("uuid", [1])] + Self.media)))
        #expect(found.bytes == Self.store)
        #expect(found.others.map { String(decoding: $0.type, as: UTF8.self) } == ["ftyp", "uuid", "uuid", "moov", "mdat"])
    }

    @Test("are not read from files of another form")
    func refused() {
        let claimed = TestBox("mdat", [1])
        claimed.size = .claimed(200)
        let short = TestBox("free")
        short.size = .claimed(7)
        let openEnded = TestBox("mdat", [1])
        openEnded.size = .toEnd
        let large = TestBox("mdat", [1])
        large.size = .long
        let files: [(String, [TestBox])] = [
            ("without a store", [Self.head] + Self.media),
            ("with two stores", [Self.head, Self.box(), Self.box()] + Self.media),
            ("with another purpose", [Self.head, Self.box(purpose: "original\0")] + Self.media),
            ("with a Merkle tree", [Self.head, Self.box(merkle: 8)] + Self.media),
            ("with a store that is too large", [Self.head, Self.box([UInt8](repeating: 1, count: EmbeddedStore.maximumBytes))]),
            ("with a box that ends behind the file", [Self.head, Self.box(), claimed]),
            ("with a box that is shorter than its header", [Self.head, Self.box(), short]),
            ("with an open-ended box", [Self.head, Self.box(), openEnded]),
            ("with a size of 64 bits", [Self.head, Self.box(), large]),
            ("with too many boxes", [Self.box()] + (0..<EmbeddedVideoStore.mostBoxes).map { _ in TestBox("free") }),
            ("with nothing", []),
        ]
        for (name, boxes) in files { #expect(Self.read(Self.file(boxes)) == nil, "\(name)") }
    }

    @Test("survive cuts, changed bytes, and files that cannot be read")
    func hostile() {
        let file = Self.file([Self.head, Self.box()] + Self.media)
        // Cut between two boxes, behind that of the store, it is a file of fewer boxes.
        let ends = [file.count - 23, file.count - 12]
        for count in file.indices { #expect((Self.read(Array(file.prefix(count))) != nil) == ends.contains(count), "\(count)") }
        for offset in file.indices {
            for value: UInt8 in [0, 1, 0x7f, 0xff] {
                var other = file
                other[offset] = value
                if let found = Self.read(other) { _ = StoreIdentity(found.bytes) }
            }
        }
        #expect(EmbeddedVideoStore(fileLength: 1000) { _ in nil } == nil)
        #expect(EmbeddedVideoStore(fileLength: .max) { _ in [] } == nil)
    }
}
