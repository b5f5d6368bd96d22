/// Where hashes or entries of a log are stored and published (c2sp.org/tlog-tiles).
public struct Tile: Hashable, Sendable, CustomStringConvertible {
    /// The content: hashes or entries.
    public enum Kind: Hashable, Sendable {
        /// Roots of complete subtrees of 256^`level` leaves each; level 0 to ``Tile/highestLevel``.
        case hashes(level: Int)
        /// The entries themselves.
        case entries

        /// That of the hashes; entries are as many as hashes of level 0.
        public var level: Int {
            switch self {
            case .hashes(let level): level
            case .entries: 0
            }
        }
    }

    /// Hashes, or entries, of a full tile.
    public static let fullWidth = 256
    /// No tree of at most 2^64 − 1 leaves has a higher one.
    public static let highestLevel = 7
    /// What is read of a published file: more than a full bundle of our leaves, or a checkpoint with all cosignatures, has.
    public static let maximumFileBytes = 1 << 20

    public let kind: Kind
    /// Position in its level.
    public let index: UInt64
    /// Hashes or entries, 1 to 256.
    public let width: Int

    /// - Throws: ``TransparencyLogError/Code/outOfRange`` if no tree of at most 2^64 − 1 leaves has such a tile.
    public init(_ kind: Kind, index: UInt64, width: Int = Self.fullWidth) throws(TransparencyLogError) {
        let count = (0...Self.highestLevel).contains(kind.level) ? Self.count(level: kind.level, size: .max) : 0
        guard (1...Self.fullWidth).contains(width), UInt64(width) <= count, index <= (count - UInt64(width)) >> 8 else {
            throw TransparencyLogError(.outOfRange, "no tree has such a tile")
        }
        self.init(unchecked: kind, index: index, width: width)
    }

    private init(unchecked kind: Kind, index: UInt64, width: Int) {
        self.kind = kind
        self.index = index
        self.width = width
    }

    public var isPartial: Bool { width < Self.fullWidth }

    /// The full one in its place. A log that has it may delete the partial ones.
    public var full: Tile { Tile(unchecked: kind, index: index, width: Self.fullWidth) }

    /// How many hashes a level has in a tree.
    static func count(level: Int, size: UInt64) -> UInt64 { size >> UInt64(8 * level) }

    /// The tile at this position as a tree of this size has it; `nil` if it has none.
    public static func at(_ kind: Kind, index: UInt64, size: UInt64) -> Tile? {
        guard (0...highestLevel).contains(kind.level) else { return nil }
        let count = count(level: kind.level, size: size)
        guard index <= count >> 8, index << 8 < count else { return nil }
        return Tile(unchecked: kind, index: index, width: Int(min(count - index << 8, UInt64(fullWidth))))
    }

    /// The tile with a leaf's entry, as a tree of this size has it; `nil` if the tree has no such leaf.
    public static func entries(of leaf: UInt64, size: UInt64) -> Tile? {
        leaf < size ? at(.entries, index: leaf >> 8, size: size) : nil
    }

    public var description: String { path }
}
