import CaptureProtocol
import TransparencyLog

/// Reads all entries and tiles that a signed tree has beyond a verified one, in order, and compares them with each other.
///
/// What the entries give is believed only when it has led to the signed root: ``proveRoot()``.
struct TreeReplay: Sendable {
    /// Bundles that are read at once.
    private static let bundlesAtOnce: UInt64 = 16

    struct Leaves: Sendable {
        let start: UInt64
        let leaves: [LogLeaf]
    }

    let tiles: PublishedTiles
    /// Signed.
    let head: TreeHead
    /// The tree of the entries that have been read so far.
    private(set) var edge: TileEdge
    private var order: LeafOrder

    /// - Parameters:
    ///   - edge: of the verified tree, with which the one of `head` begins.
    ///   - hasEnded: whether the last entry of that one closed the shard.
    init(from edge: TileEdge, hasEnded: Bool, to head: TreeHead, tiles: PublishedTiles) {
        self.edge = edge
        self.head = head
        self.tiles = tiles
        order = LeafOrder(hasEnded: hasEnded)
    }

    /// The next leaves, at most 4,096 of them; `nil` after the last.
    /// - Throws: ``LogDefect``, ``PublicFiles/Unreachable``.
    mutating func next() async throws -> Leaves? {
        guard edge.size < head.size else { return nil }
        let start = edge.size
        let first = start >> 8
        let bundles = try await read(first..<min(first + Self.bundlesAtOnce, (head.size - 1) >> 8 + 1))
        var leaves: [LogLeaf] = []
        for bundle in bundles { leaves += try await add(bundle) }
        return Leaves(start: start, leaves: leaves)
    }

    /// Compares what the entries gave with the signed root, which may be that of a larger tree, and at the end with the partial tiles.
    func proveRoot() async throws {
        guard edge.size == head.size else {
            guard try await TreeComparison(edge.frontier.head, head, tiles: tiles) == .consistent else {
                throw LogDefect(.entryChanged, "the first \(edge.size) entries are not those of the checkpoint of \(head.size)")
            }
            return
        }
        for (tile, hashes) in edge.partialTiles where tile.kind.level > 0 { try await compare(tile, hashes) }
        guard edge.frontier.root == head.root else {
            throw LogDefect(.entryChanged, "the \(head.size) entries and tiles do not lead to the root that is signed")
        }
    }

    private struct Bundle: Sendable {
        let index: UInt64
        let entries: [[UInt8]]
        let hashes: [ContentDigest]
    }

    private func read(_ indexes: Range<UInt64>) async throws -> [Bundle] {
        try await withThrowingTaskGroup(of: Bundle?.self) { group in
            for index in indexes {
                group.addTask { [tiles, head] in
                    guard let entries = Tile.at(.entries, index: index, size: head.size),
                        let hashes = Tile.at(.hashes(level: 0), index: index, size: head.size)
                    else { return nil }
                    return Bundle(index: index, entries: try await tiles.entries(of: entries), hashes: try await tiles.hashes(of: hashes))
                }
            }
            return try await group.reduce(into: []) { bundles, bundle in if let bundle { bundles.append(bundle) } }
                .sorted { $0.index < $1.index }
        }
    }

    private mutating func add(_ bundle: Bundle) async throws -> [LogLeaf] {
        var leaves: [LogLeaf] = []
        let verified = edge.partialTiles.first { $0.tile.kind.level == 0 }?.hashes ?? []
        let verifiedSize = edge.size
        for (position, entry) in bundle.entries.enumerated() {
            let index = bundle.index << 8 + UInt64(position)
            let hash = MerkleHash.leaf(entry)
            guard hash == bundle.hashes[position] else { throw try await difference(at: index, entry: hash, tile: bundle.hashes[position]) }
            guard index >= verifiedSize else {
                guard hash == verified[position] else {
                    throw LogDefect(.entryChanged, "entry \(index) and its tile have changed")
                }
                continue
            }
            let leaf: LogLeaf
            do { leaf = try LogLeaf(bytes: entry) } catch { throw LogDefect(.malformedLeaf, "entry \(index) \(error.message)") }
            try order.check(leaf, at: index)
            leaves.append(leaf)
            for (tile, hashes) in edge.append(hash) where tile.kind.level > 0 { try await compare(tile, hashes) }
        }
        return leaves
    }

    private func compare(_ tile: Tile, _ hashes: [ContentDigest]) async throws {
        guard try await tiles.hashes(of: tile) == hashes else {
            throw LogDefect(.tileChanged, "\(tile) is not what the entries below it give")
        }
    }

    /// Which of an entry and its hash in the tile is false: the signed root says.
    private func difference(at index: UInt64, entry: ContentDigest, tile: ContentDigest) async throws -> LogDefect {
        let roots = try await tiles.roots(of: try InclusionProof.nodes(index: index, size: head.size), size: head.size)
        let proof = try InclusionProof(index: index, size: head.size, read: roots.root)
        if proof.proves(tile, at: index, in: head) { return LogDefect(.entryChanged, "entry \(index) is not the one that was signed") }
        let place = Tile.at(.hashes(level: 0), index: index >> 8, size: head.size).map { "\($0)" } ?? "the tile"
        if proof.proves(entry, at: index, in: head) { return LogDefect(.tileChanged, "\(place) has another hash for entry \(index)") }
        return LogDefect(.tileChanged, "\(place) and entry \(index) differ, and neither leads to the root that is signed")
    }
}

/// Where the leaves that open and close a shard may stand.
struct LeafOrder: Sendable {
    private var hasEnded: Bool

    init(hasEnded: Bool) { self.hasEnded = hasEnded }

    mutating func check(_ leaf: LogLeaf, at index: UInt64) throws(LogDefect) {
        guard !hasEnded else { throw LogDefect(.afterEnd, "entry \(index) stands after the one that closed the shard") }
        let isFirst = index == 0
        if case .shard = leaf {
            guard isFirst else { throw LogDefect(.malformedLeaf, "entry \(index) opens a shard that is open") }
        } else {
            guard !isFirst else { throw LogDefect(.malformedLeaf, "entry 0 does not open the shard") }
        }
        if case .end = leaf { hasEnded = true }
    }
}
