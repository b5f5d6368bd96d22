/// The entries of a tile, each after its length in two bytes, big-endian (c2sp.org/tlog-tiles, "Log entries").
public struct EntryBundle: Hashable, Sendable {
    /// The most bytes of an entry.
    public static let maximumEntryBytes = 65_535

    public let entries: [[UInt8]]

    /// - Throws: ``TransparencyLogError/Code/outOfRange`` if there are not 1 to 256; ``TransparencyLogError/Code/tooLong`` for an entry
    ///   above ``maximumEntryBytes``.
    public init(entries: [[UInt8]]) throws(TransparencyLogError) {
        guard (1...Tile.fullWidth).contains(entries.count) else { throw TransparencyLogError(.outOfRange, "a bundle has 1 to 256 entries") }
        guard entries.allSatisfy({ $0.count <= Self.maximumEntryBytes }) else {
            throw TransparencyLogError(.tooLong, "an entry is too long")
        }
        self.entries = entries
    }

    /// Reads exactly as many entries as the tile has, with nothing after the last.
    /// - Throws: ``TransparencyLogError/Code/malformedTile``.
    public init(_ bytes: [UInt8], of tile: Tile) throws(TransparencyLogError) {
        var entries: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty, entries.count < tile.width {
            guard rest.count >= 2 else { break }
            let count = rest.prefix(2).reduce(0) { $0 << 8 | Int($1) }
            guard rest.count >= 2 + count else { break }
            entries.append(Array(rest.dropFirst(2).prefix(count)))
            rest = rest.dropFirst(2 + count)
        }
        guard rest.isEmpty, entries.count == tile.width else {
            throw TransparencyLogError(.malformedTile, "is not \(tile.width) entries with their lengths")
        }
        self.entries = entries
    }

    /// Reads a partial bundle from the bytes of the full one: its first entries.
    /// - Throws: ``TransparencyLogError/Code/malformedTile``.
    public init(inFull bytes: [UInt8], of tile: Tile) throws(TransparencyLogError) {
        try self.init(entries: Array(EntryBundle(bytes, of: tile.full).entries.prefix(tile.width)))
    }

    /// The bundle as it is stored.
    public var bytes: [UInt8] {
        entries.flatMap { [UInt8(truncatingIfNeeded: $0.count >> 8), UInt8(truncatingIfNeeded: $0.count)] + $0 }
    }
}
