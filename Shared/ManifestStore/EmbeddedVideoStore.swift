/// The manifest store of an MP4 and where the boxes of the file lie (C2PA 2.4 annex A.5): one `uuid` box at the top of the file.
///
/// It reads only the form that we write, in files that may have been written again: a file that it cannot read is not ours.
public struct EmbeddedVideoStore: Sendable, Equatable {
    /// A box at the top of a file.
    public struct Box: Sendable, Equatable {
        /// Four characters, as bytes.
        public let type: [UInt8]
        /// From its header to its end.
        public let range: Range<Int64>
    }

    /// Our copies have four.
    public static let mostBoxes = 64
    /// What tells the box of a manifest store from other `uuid` boxes.
    public static let boxIdentifier: [UInt8] = [
        0xd8, 0xfe, 0xc3, 0xd6, 0x1b, 0x0e, 0x48, 0x3c, 0x92, 0x97, 0x58, 0x28, 0x87, 0x7e, 0xc4, 0x81,
    ]
    /// Behind the identifier: version and flags, the purpose, and the place of a Merkle tree, of which there is none.
    private static let preamble = [0, 0, 0, 0] + Array("manifest\0".utf8) + [UInt8](repeating: 0, count: 8)

    /// The superbox `c2pa`.
    public let bytes: [UInt8]
    /// The other boxes at the top of the file, in order.
    public let others: [Box]

    /// - Parameters:
    ///   - length: of the file in bytes.
    ///   - read: reads a range inside the file; `nil` if that fails. Asked for headers and the store alone.
    /// - Returns: `nil` unless the boxes fill the file and exactly one of them has a manifest store.
    public init?(fileLength length: Int64, read: (Range<Int64>) -> [UInt8]?) {
        guard let boxes = Self.boxes(fileLength: length, read: read) else { return nil }
        var found: [UInt8]?
        var others: [Box] = []
        for box in boxes {
            let content = box.range.dropFirst(Self.headerBytes)
            guard box.type.elementsEqual("uuid".utf8), read(content.prefix(Self.boxIdentifier.count)) == Self.boxIdentifier else {
                others.append(box)
                continue
            }
            let head = Self.boxIdentifier + Self.preamble
            guard found == nil, content.count <= EmbeddedStore.maximumBytes, let whole = read(content), whole.count == content.count,
                whole.starts(with: head)
            else { return nil }
            found = Array(whole.dropFirst(head.count))
        }
        guard let found else { return nil }
        (bytes, self.others) = (found, others)
    }

    private static let headerBytes = 8

    private static func boxes(fileLength length: Int64, read: (Range<Int64>) -> [UInt8]?) -> [Box]? {
        var boxes: [Box] = []
        var position: Int64 = 0
        while position < length {
            // No file that we sign has a box of 4 GiB, or one that is open-ended.
            guard boxes.count < mostBoxes, length - position >= headerBytes, let header = read(position..<position + Int64(headerBytes)),
                header.count == headerBytes
            else { return nil }
            let size = header.prefix(4).reduce(0) { $0 << 8 | Int64($1) }
            guard size >= headerBytes, size <= length - position else { return nil }
            boxes.append(Box(type: Array(header.suffix(4)), range: position..<position + size))
            position += size
        }
        return boxes
    }
}
