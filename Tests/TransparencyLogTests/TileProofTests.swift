import CaptureProtocol
import TestSupport
import Testing
import TransparencyLog

@Suite("Proofs from tiles")
struct TileProofTests {
    private static let size = 70_000

    /// A log with tiles up to level 2, written leaf by leaf.
    private struct Log {
        let tree = ReferenceTree(count: size)
        private(set) var tiles: [Tile: [ContentDigest]] = [:]
        private(set) var edge = TileEdge()

        init() {
            for leaf in tree.leaves {
                for full in edge.append(leaf) { tiles[full.tile] = full.hashes }
            }
            for partial in edge.partialTiles { tiles[partial.tile] = partial.hashes }
        }

        func hashes(_ wanted: Set<Tile>) throws -> TileHashes {
            var hashes = TileHashes()
            for tile in wanted { try hashes.add(tile, try #require(tiles[tile])) }
            return hashes
        }
    }

    private static let log = Log()

    @Test("a log that grows leaf by leaf has the tiles and the root of its leaves")
    func writing() throws {
        let log = Self.log
        #expect(Set(log.tiles.keys) == Set(Tile.added(from: 0, to: UInt64(Self.size)).filter { $0.kind != .entries }))
        let root = log.tree.root(Self.size)
        #expect(log.edge.frontier.head == TreeHead(size: UInt64(Self.size), root: root))
        let hashes = try log.hashes(MerkleFrontier.tiles(size: UInt64(Self.size)))
        #expect(try MerkleFrontier(size: UInt64(Self.size), read: hashes.root).root == root)
        #expect(try TileEdge(size: UInt64(Self.size)) { try #require(log.tiles[$0]) } == log.edge)
        #expect(refusal { _ = try TileEdge(size: 70_001) { log.tiles[$0] ?? [] } } == .malformedTile)
    }

    @Test("inclusion proofs of any leaf need the tiles that they name and verify")
    func inclusion() throws {
        var random = SeededGenerator(seed: 14)
        let size = UInt64(Self.size)
        let head = TreeHead(size: size, root: Self.log.tree.root(Self.size))
        var indexes: [UInt64] = [0, 255, 256, 65_535, 65_536, 69_887, 69_888, 69_999]
        for _ in 0..<300 { indexes.append(.random(in: 0..<size, using: &random)) }
        for index in indexes {
            let tiles = try InclusionProof.tiles(index: index, size: size)
            #expect((2...4).contains(tiles.count))
            let proof = try InclusionProof(index: index, size: size, read: try Self.log.hashes(tiles).root)
            #expect(proof.proves(Self.log.tree.leaves[Int(index)], at: index, in: head), "\(index)")
        }
        let proof = try InclusionProof(
            index: 65_536, size: size, read: try Self.log.hashes(try InclusionProof.tiles(index: 65_536, size: size)).root)
        #expect(proof.hashes == Self.log.tree.path(65_536, Self.size))
    }

    @Test("consistency proofs between any sizes need the tiles that they name and verify")
    func consistency() throws {
        var random = SeededGenerator(seed: 15)
        let size = UInt64(Self.size)
        let new = TreeHead(size: size, root: Self.log.tree.root(Self.size))
        var sizes: [UInt64] = [1, 256, 65_536, 69_888, size - 1]
        for _ in 0..<15 { sizes.append(.random(in: 1..<size, using: &random)) }
        for oldSize in sizes {
            let hashes = try Self.log.hashes(try ConsistencyProof.tiles(from: oldSize, to: size))
            let proof = try ConsistencyProof(from: oldSize, to: size, read: hashes.root)
            #expect(proof.proves(TreeHead(size: oldSize, root: Self.log.tree.root(Int(oldSize))), isPrefixOf: new), "\(oldSize)")
        }
    }

    @Test("a full tile does for a partial one, a narrower one does not")
    func widths() throws {
        let full = try Tile(.hashes(level: 0), index: 3)
        let leaves = Self.log.tree.leaves
        let content = try #require(Self.log.tiles[full])
        var hashes = TileHashes()
        let narrow = try Tile(.hashes(level: 0), index: 3, width: 5)
        try hashes.add(narrow, Array(content.prefix(5)))
        #expect(try hashes.root(of: TreeNode(level: 2, index: 192)) == ReferenceTree.root(leaves[768..<772]))
        #expect(refusal { _ = try hashes.root(of: TreeNode(level: 2, index: 193)) } == .tileMissing)
        try hashes.add(full, content)
        try hashes.add(narrow, Array(content.prefix(5)))
        #expect(try hashes.root(of: TreeNode(level: 2, index: 193)) == ReferenceTree.root(leaves[772..<776]))
        #expect(refusal { _ = try hashes.root(of: TreeNode(level: 0, index: 0)) } == .tileMissing)
        #expect(refusal { try hashes.add(full, Array(content.dropLast())) } == .malformedTile)
        #expect(refusal { try hashes.add(try Tile(.entries, index: 0, width: 1), [leaves[0]]) } == .malformedTile)
    }

    private static let vastSizes: [UInt64] = [16_777_217, 1_000_000_000, 1_099_511_640_121, 9_223_372_036_854_776_065, .max]

    @Test("trees too large to store, all of whose leaves are equal, have proofs from tiles of every level", arguments: Self.vastSizes)
    func vast(size: UInt64) throws {
        var levels = [MerkleHash.leaf([1])]
        for level in 0..<63 { levels.append(MerkleHash.node(levels[level], levels[level])) }
        let head = MerkleFrontier(size: size) { levels[$0.level] }.head
        func hashes(_ tiles: Set<Tile>) throws -> TileHashes {
            var hashes = TileHashes()
            for tile in tiles { try hashes.add(tile, Array(repeating: levels[8 * tile.kind.level], count: tile.width)) }
            return hashes
        }
        #expect(try MerkleFrontier(size: size, read: try hashes(MerkleFrontier.tiles(size: size)).root).head == head)
        for index in [0, size / 3, size / 2, size - 1] {
            let tiles = try InclusionProof.tiles(index: index, size: size)
            #expect(tiles.count <= 16)
            let proof = try InclusionProof(index: index, size: size, read: try hashes(tiles).root)
            #expect(proof.proves(levels[0], at: index, in: head))
            #expect(!proof.proves(levels[1], at: index, in: head))
        }
        for oldSize in [1, size / 3, size / 2, size - 1] {
            let proof = try ConsistencyProof(
                from: oldSize, to: size, read: try hashes(try ConsistencyProof.tiles(from: oldSize, to: size)).root)
            #expect(proof.proves(MerkleFrontier(size: oldSize) { levels[$0.level] }.head, isPrefixOf: head))
        }
    }
}
