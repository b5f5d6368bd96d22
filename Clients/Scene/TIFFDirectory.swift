/// One image file directory (TIFF 6.0 §2), big-endian.
struct TIFFDirectory {
    private enum Value {
        case bytes([UInt8])
        case directory(TIFFDirectory)
    }

    private struct Field {
        let tag: Int
        let type: UInt16
        let count: Int
        let value: Value
    }

    private var fields: [Field] = []

    mutating func bytes(_ tag: Int, _ value: [UInt8]) { add(tag, 1, value.count, value) }
    mutating func undefined(_ tag: Int, _ value: [UInt8]) { add(tag, 7, value.count, value) }
    mutating func short(_ tag: Int, _ value: Int) { add(tag, 3, 1, Self.bigEndian(UInt16(clamping: value))) }
    mutating func long(_ tag: Int, _ value: Int) { add(tag, 4, 1, Self.bigEndian(UInt32(clamping: value))) }

    /// With the terminating NUL.
    mutating func ascii(_ tag: Int, _ text: String) {
        let value = text.utf8.filter { $0 != 0 } + [0]
        add(tag, 2, value.count, value)
    }

    mutating func rational(_ tag: Int, _ values: [(UInt32, UInt32)]) {
        add(tag, 5, values.count, values.flatMap { Self.bigEndian($0.0) + Self.bigEndian($0.1) })
    }

    mutating func directory(_ tag: Int, _ value: TIFFDirectory) {
        fields.append(Field(tag: tag, type: 4, count: 1, value: .directory(value)))
    }

    private mutating func add(_ tag: Int, _ type: UInt16, _ count: Int, _ value: [UInt8]) {
        fields.append(Field(tag: tag, type: type, count: count, value: .bytes(value)))
    }

    /// The directory, followed by the values that do not fit into its entries.
    /// - Parameter start: its offset in the TIFF file, even.
    func serialized(at start: Int) -> [UInt8] {
        // Entries must be in ascending order of their tags.
        let sorted = fields.sorted { $0.tag < $1.tag }
        var entries = Self.bigEndian(UInt16(clamping: sorted.count))
        let tailStart = start + 2 + 12 * sorted.count + 4
        var tail: [UInt8] = []
        for field in sorted {
            entries += Self.bigEndian(UInt16(clamping: field.tag)) + Self.bigEndian(field.type)
            entries += Self.bigEndian(UInt32(clamping: field.count))
            let offset = Self.bigEndian(UInt32(clamping: tailStart + tail.count))
            switch field.value {
            case .directory(let directory):
                entries += offset
                tail += directory.serialized(at: tailStart + tail.count)
            case .bytes(let bytes) where bytes.count <= 4:
                entries += bytes + [UInt8](repeating: 0, count: 4 - bytes.count)
            case .bytes(let bytes):
                entries += offset
                tail += bytes
            }
            if !tail.count.isMultiple(of: 2) { tail.append(0) }
        }
        return entries + [0, 0, 0, 0] + tail
    }

    private static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
}
