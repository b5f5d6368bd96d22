/// One box inside another.
struct Box {
    let type: FourCharacterCode
    let content: ArraySlice<UInt8>
}

/// The boxes inside one box, each of them inside its parent (ISO/IEC 14496-12 §4.2).
struct BoxList {
    let parent: FourCharacterCode
    let boxes: [Box]

    /// - Parameter parent: for messages; the name of a box that we know.
    /// - Throws: ``MovieError`` `boxOutsideParent` if a box ends behind `content`, or its size cannot be. Lists of QuickTime may end in
    ///   four zero bytes.
    init(_ content: ArraySlice<UInt8>, of parent: FourCharacterCode) throws(MovieError) {
        self.parent = parent
        var rest = content
        var boxes: [Box] = []
        while !rest.isEmpty {
            if rest.count == 4, rest.allSatisfy({ $0 == 0 }) { break }
            var header = FieldReader(rest, of: parent)
            guard rest.count >= 8 else { throw Self.outside(parent) }
            let short = try header.u32()
            let type = try header.code()
            guard short != 1 || rest.count >= 16 else { throw Self.outside(parent) }
            let size = short == 1 ? try header.u64() : UInt64(short)
            let headerBytes = short == 1 ? 16 : 8
            guard size >= headerBytes, size <= rest.count else { throw Self.outside(parent) }
            boxes.append(Box(type: type, content: rest.prefix(Int(size)).dropFirst(headerBytes)))
            rest = rest.dropFirst(Int(size))
        }
        self.boxes = boxes
    }

    private static func outside(_ parent: FourCharacterCode) -> MovieError {
        MovieError(.boxOutsideParent, "has a box that is not inside its \(parent) box")
    }

    func contains(_ type: FourCharacterCode) -> Bool { boxes.contains { $0.type == type } }

    /// The content of the only box of this type; `nil` without one.
    func optional(_ type: FourCharacterCode) throws(MovieError) -> FieldReader? {
        var found: Box?
        for box in boxes where box.type == type {
            guard found == nil else { throw MovieError(.boxTwice, "has two \(type) boxes in one \(parent) box") }
            found = box
        }
        return found.map { FieldReader($0.content, of: type) }
    }

    /// The content of the only box of this type.
    func only(_ type: FourCharacterCode) throws(MovieError) -> FieldReader {
        guard let found = try optional(type) else { throw MovieError(.boxMissing, "has no \(type) box in its \(parent) box") }
        return found
    }

    /// The boxes inside the only box of this type.
    func children(of type: FourCharacterCode) throws(MovieError) -> BoxList { try BoxList(only(type).rest, of: type) }
}

extension BoxList {
    private static let deepest = 16
    private static let containers: Set<FourCharacterCode> = ["trak", "edts", "mdia", "minf", "dinf", "stbl", "udta", "meta", "moov"]

    /// Checks that every box below `moov` is inside its parent, also in tracks and metadata that are ignored.
    static func checkNesting(ofMovieBox content: ArraySlice<UInt8>) throws(MovieError) {
        var open: [(box: Box, depth: Int)] = [(Box(type: "moov", content: content), 1)]
        while let (box, depth) = open.popLast() {
            guard depth <= deepest else { throw MovieError(.nestedTooDeep, "has boxes nested more than \(deepest) deep") }
            let inside = box.type == "meta" ? metadataContent(box.content) : box.content
            for child in try BoxList(inside, of: box.type).boxes where containers.contains(child.type) { open.append((child, depth + 1)) }
        }
    }

    /// What is in a `meta` box behind version and flags, which QuickTime does not have: there the first box follows at once.
    static func metadataContent(_ content: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        content.dropFirst(4).starts(with: Array("hdlr".utf8)) ? content : content.dropFirst(4)
    }
}
