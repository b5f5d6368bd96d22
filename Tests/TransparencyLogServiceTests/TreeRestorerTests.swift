import CaptureProtocol
import TestSupport
import Testing
import TransparencyLog

@testable import TransparencyLogService

@Suite("Restoring a tree from its leaves")
struct TreeRestorerTests {
    private static let sizes: [UInt64] = [4097, 4351, 8193, 65_537, 70_001]

    private static func leaves(_ range: Range<UInt64>) -> [[UInt8]] { range.map { Array("leaf \($0)".utf8) } }

    @Test("makes the full tiles and bundles, and all partial ones of the right edge, whenever they changed last", arguments: sizes)
    func objects(size: UInt64) async throws {
        var made: [Tile: [UInt8]] = [:]
        var count = 0
        let edge = try await TreeRestorer.build(size) { range in
            Self.leaves(range)
        } store: { object in
            made[object.tile] = object.bytes
            count += 1
        }
        var tiles = Set(Tile.added(from: 0, to: size).filter { !$0.isPartial })
        tiles.formUnion(Tile.edge(size: size))
        tiles.insert(try #require(Tile.entries(of: size - 1, size: size)))
        let places = Set(made.keys)
        #expect(places.symmetricDifference(tiles).isEmpty && count == tiles.count)
        // As if all leaves were read at once.
        let whole = try TreeGrowth(from: TileEdge(), leaves: Self.leaves(0..<size))
        let isWhole = whole.objects.allSatisfy { made[$0.tile] == $0.bytes }
        #expect(isWhole && edge == whole.edge)
    }

    @Test("puts all of a lost store's tree back, also one with three levels of tiles")
    func store() async throws {
        let size: UInt64 = 70_000
        let store = MemoryObjectStore()
        let objects = LogObjects(store, shard: "2026")
        let head = try TreeGrowth(from: TileEdge(), leaves: Self.leaves(0..<size)).edge.frontier.head
        try await TreeRestorer(objects: objects, leaves: { Self.leaves($0) }).restore(head, newestHead: size)
        let keys = store.keys
        let missing = Tile.added(from: 0, to: size).filter { !keys.contains(objects.key($0)) }
        #expect(missing.isEmpty)
        #expect(try await TreeReader(objects: objects).edge(size: size).frontier.head == head)
        #expect(try await TreeReader(objects: objects).root(size: size) == head.root)
    }
}
