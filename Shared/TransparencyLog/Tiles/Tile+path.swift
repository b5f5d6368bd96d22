extension Tile {
    /// Below the log's prefix, as `tile/0/x001/x234/067` or `tile/entries/000.p/12`.
    public var path: String {
        let place: String
        switch kind {
        case .hashes(let level): place = "\(level)"
        case .entries: place = "entries"
        }
        var groups = [Self.threeDigits(index % 1000)]
        var rest = index / 1000
        while rest > 0 {
            groups.insert("x" + Self.threeDigits(rest % 1000), at: 0)
            rest /= 1000
        }
        return "tile/\(place)/\(groups.joined(separator: "/"))" + (isPartial ? ".p/\(width)" : "")
    }

    /// Reads a path in the one form that ``path`` has.
    /// - Throws: ``TransparencyLogError/Code/malformedTile`` for any other, and for a tile that no tree has.
    public init(path: String) throws(TransparencyLogError) {
        guard let tile = Self.read(Array(path.utf8)) else { throw TransparencyLogError(.malformedTile, "is not a tile's path") }
        self = tile
    }

    private static func read(_ path: [UInt8]) -> Tile? {
        guard path.count <= 64 else { return nil }
        var parts = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)[...]
        guard parts.popFirst()?.elementsEqual("tile".utf8) == true, let place = parts.popFirst(), var last = parts.popLast() else {
            return nil
        }
        var width = UInt64(fullWidth)
        if let before = parts.last, before.suffix(2).elementsEqual(".p".utf8) {
            guard let partial = UInt64(decimal: last), partial < fullWidth else { return nil }
            width = partial
            last = before.dropLast(2)
            parts.removeLast()
        }
        var digits: [UInt8] = []
        for group in parts {
            guard group.first == UInt8(ascii: "x") else { return nil }
            digits += group.dropFirst()
        }
        digits += last
        let significant = digits.drop { $0 == UInt8(ascii: "0") }
        guard let index = significant.isEmpty ? 0 : UInt64(decimal: significant), let kind = kind(place),
            let tile = try? Tile(kind, index: index, width: Int(width)), tile.path.utf8.elementsEqual(path)
        else { return nil }
        return tile
    }

    private static func kind(_ place: ArraySlice<UInt8>) -> Kind? {
        if place.elementsEqual("entries".utf8) { return .entries }
        return UInt64(decimal: place).flatMap { Int(exactly: $0) }.map { .hashes(level: $0) }
    }

    private static func threeDigits(_ number: UInt64) -> String { String("\(1000 + number)".dropFirst()) }
}
