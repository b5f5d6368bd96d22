import Testing
import TransparencyLog

@Suite("Tiles of hashes and entries")
struct TileTests {
    private static let paths: [String: Tile?] = [
        "tile/0/x001/x234/067": try? Tile(.hashes(level: 0), index: 1_234_067),
        "tile/0/000.p/1": try? Tile(.hashes(level: 0), index: 0, width: 1),
        "tile/2/999.p/255": try? Tile(.hashes(level: 2), index: 999, width: 255),
        "tile/1/x001/000": try? Tile(.hashes(level: 1), index: 1000),
        "tile/entries/x123/456.p/12": try? Tile(.entries, index: 123_456, width: 12),
        "tile/0/x072/x057/x594/x037/x927/935.p/254": try? Tile(.hashes(level: 0), index: 72_057_594_037_927_935, width: 254),
    ]

    @Test("are found at the paths of c2sp.org/tlog-tiles", arguments: Self.paths.keys.sorted())
    func path(path: String) throws {
        let tile = try #require(Self.paths[path] ?? nil)
        #expect(tile.path == path)
        #expect(try Tile(path: path) == tile)
    }

    @Test(
        "have no other paths",
        arguments: [
            "", "tile", "tile/", "tile/0", "tile/0/", "tile/0/0", "tile/0/00", "tile/0/0000", "tile/0/067/", "/tile/0/067", "tile/00/067",
            "tile/8/000", "tile/64/000", "tile/-1/000", "tile/+1/000", "tile/0/x000/067", "tile/0/001/067", "tile/0/x001/x067",
            "tile/0/x1/067", "tile/0/000.p", "tile/0/000.p/", "tile/0/000.p/0", "tile/0/000.p/256", "tile/0/000.p/01", "tile/0/000.p/+1",
            "tile/0/000.q/1", "tile/0/000/1", "tile/0/000.p/1/", "tile/Entries/000", "tile/entries/0x0", "tile/7/000", "tile/7/001.p/1",
            "tile/0/x999/x999/x999/x999/x999/x999/x999/999", "tile/0/x072/x057/x594/x037/x927/936",
            "tile/0/x072/x057/x594/x037/x927/935.p/255.p/1",
            "tile/0/00\u{661}", "tile/0/000\n", "tile//000", "tiles/0/000",
        ])
    func otherPaths(path: String) {
        #expect(refusal { _ = try Tile(path: path) } == .malformedTile)
    }

    @Test("that no tree has are refused")
    func impossible() {
        for (level, index, width) in [(-1, 0, 1), (8, 0, 1), (0, 0, 0), (0, 0, 257), (7, 0, 256), (7, 1, 1), (6, 256, 1)] {
            #expect(refusal { _ = try Tile(.hashes(level: level), index: UInt64(index), width: width) } == .outOfRange)
        }
        #expect(refusal { _ = try Tile(.entries, index: 1 << 56) } == .outOfRange)
        #expect(Tile.at(.hashes(level: 9), index: 0, size: .max) == nil)
        #expect(Tile.at(.hashes(level: 0), index: .max, size: .max) == nil)
        #expect(Tile.holding(TreeNode(level: 64, index: 0), size: .max) == nil)
        #expect(Tile.holding(TreeNode(level: 3, index: 1), size: 15) == nil)
    }

    @Test("of 70,000 leaves are those of c2sp.org/tlog-tiles")
    func example() {
        let tiles = Tile.added(from: 0, to: 70_000).filter { $0.kind != .entries }
        #expect(tiles.filter { $0.kind.level == 0 && !$0.isPartial }.count == 273)
        #expect(tiles.filter { $0.kind.level == 1 && !$0.isPartial }.count == 1)
        let partial = tiles.filter(\.isPartial).map(\.path)
        #expect(partial == ["tile/0/273.p/112", "tile/1/001.p/17", "tile/2/000.p/1"])
        #expect(Tile.edge(size: 70_000).map(\.path) == partial)
        #expect(Tile.edge(size: 256).map(\.path) == ["tile/1/000.p/1"])
        #expect(Tile.entries(of: 69_999, size: 70_000)?.path == "tile/entries/273.p/112")
        #expect(Tile.entries(of: 69_000, size: 70_000)?.path == "tile/entries/269")
        #expect(Tile.entries(of: 70_000, size: 70_000) == nil)
    }

    @Test(
        "that growth adds are those that the smaller tree does not have",
        arguments: [
            [0, 0], [0, 1], [1, 2], [5, 5], [9, 3], [255, 256], [256, 257], [255, 257], [511, 512], [500, 66_000], [65_535, 65_536],
            [65_536, 65_537], [69_999, 70_000], [0, 70_000],
        ] as [[UInt64]])
    func growth(sizes: [UInt64]) {
        let added = Array(Tile.added(from: sizes[0], to: sizes[1]))
        let expected = sizes[0] < sizes[1] ? all(sizes[1]).subtracting(all(sizes[0])) : []
        #expect(Set(added) == expected)
        #expect(added.count == expected.count)
    }

    @Test("of the largest trees are made without overflow")
    func largest() {
        #expect(Tile.edge(size: .max).count == 8)
        #expect(Array(Tile.added(from: .max - 1, to: .max)).map(\.width) == [255, 255])
        #expect(Tile.holding(TreeNode(level: 63, index: 0), size: 1 << 63)?.path == "tile/7/000.p/128")
        #expect(MerkleFrontier.tiles(size: .max).count == 8)
    }

    @Test("hold as many hashes of 32 bytes as they are wide, or as the full tile begins with")
    func hashes() throws {
        let all = ReferenceTree(count: 256).leaves
        let full = Tile.bytes(of: all)
        let tile = try Tile(.hashes(level: 0), index: 4, width: 3)
        #expect(try tile.full.hashes(in: full) == all)
        #expect(try tile.hashes(in: Array(full.prefix(96))) == Array(all.prefix(3)))
        #expect(try tile.hashes(inFull: full) == Array(all.prefix(3)))
        for count in [0, 64, 95, 97, 128, 8192] {
            #expect(refusal { _ = try tile.hashes(in: Array(full.prefix(count))) } == .malformedTile)
        }
        for count in [0, 96, 8191] { #expect(refusal { _ = try tile.hashes(inFull: Array(full.prefix(count))) } == .malformedTile) }
    }

    @Test("of entries are read exactly")
    func entries() throws {
        let tile = try Tile(.entries, index: 0, width: 3)
        let long = [UInt8](repeating: 7, count: EntryBundle.maximumEntryBytes)
        let bundle = try EntryBundle(entries: [[1, 2], [], long])
        #expect(bundle.bytes.prefix(8).elementsEqual([0, 2, 1, 2, 0, 0, 0xff, 0xff]))
        #expect(try EntryBundle(bundle.bytes, of: tile) == bundle)
        #expect(refusal { _ = try EntryBundle(bundle.bytes + [0], of: tile) } == .malformedTile)
        #expect(refusal { _ = try EntryBundle(bundle.bytes + [0, 0], of: tile) } == .malformedTile)
        for count in [0, 1, 3, 4, 6, 7, bundle.bytes.count - 1] {
            #expect(refusal { _ = try EntryBundle(Array(bundle.bytes.prefix(count)), of: tile) } == .malformedTile)
        }
        let full = try EntryBundle(entries: (0..<256).map { [UInt8($0)] })
        #expect(try EntryBundle(inFull: full.bytes, of: tile).entries == [[0], [1], [2]])
        #expect(refusal { _ = try EntryBundle(inFull: bundle.bytes, of: tile) } == .malformedTile)
        #expect(refusal { _ = try EntryBundle(entries: []) } == .outOfRange)
        #expect(refusal { _ = try EntryBundle(entries: Array(repeating: [], count: 257)) } == .outOfRange)
        #expect(refusal { _ = try EntryBundle(entries: [long + [0]]) } == .tooLong)
    }

    /// All tiles of a tree, counted.
    private func all(_ size: UInt64) -> Set<Tile> {
        var tiles: Set<Tile> = []
        for kind in [Tile.Kind.entries] + (0..<4).map({ .hashes(level: $0) }) {
            var count = Int(size)
            for _ in 0..<kind.level { count /= 256 }
            for first in stride(from: 0, to: count, by: 256) {
                guard let tile = try? Tile(kind, index: UInt64(first / 256), width: min(256, count - first)) else { continue }
                tiles.insert(tile)
            }
        }
        return tiles
    }
}
