/// One image file directory (TIFF 6.0 §2), big-endian, while it is written. A tag that is set again is replaced.
package struct TIFFDirectory: Sendable {
    private enum Value {
        case bytes([UInt8])
        case directory(TIFFDirectory)
    }

    private struct Field {
        let type: UInt16
        let count: Int
        let value: Value
    }

    private var fields: [Int: Field] = [:]

    package init() {}

    package var isEmpty: Bool { fields.isEmpty }
    package func contains(_ tag: Int) -> Bool { fields[tag] != nil }

    package mutating func bytes(_ tag: Int, _ value: [UInt8]) { set(tag, 1, value.count, value) }
    package mutating func undefined(_ tag: Int, _ value: [UInt8]) { set(tag, 7, value.count, value) }
    package mutating func short(_ tag: Int, _ value: Int) { set(tag, 3, 1, Self.bigEndian(UInt16(clamping: value))) }
    package mutating func long(_ tag: Int, _ value: Int) { set(tag, 4, 1, Self.bigEndian(UInt32(clamping: value))) }

    /// Sets a text, which is written with a terminating NUL.
    package mutating func ascii(_ tag: Int, _ text: String) {
        let value = text.utf8.filter { $0 != 0 } + [0]
        set(tag, 2, value.count, value)
    }

    package mutating func rational(_ tag: Int, _ values: [(UInt32, UInt32)]) {
        set(tag, 5, values.count, values.flatMap { Self.bigEndian($0.0) + Self.bigEndian($0.1) })
    }

    package mutating func directory(_ tag: Int, _ value: TIFFDirectory) {
        fields[tag] = Field(type: 4, count: 1, value: .directory(value))
    }

    /// - Parameters:
    ///   - type: TIFF's number of the type.
    ///   - count: of values, not of bytes.
    mutating func set(_ tag: Int, _ type: UInt16, _ count: Int, _ value: [UInt8]) {
        fields[tag] = Field(type: type, count: count, value: .bytes(value))
    }

    /// The directory, followed by the values that do not fit into its entries.
    /// - Parameter start: its offset in the TIFF file, even.
    package func serialized(at start: Int) -> [UInt8] {
        // Entries must be in ascending order of their tags.
        let sorted = fields.sorted { $0.key < $1.key }
        var entries = Self.bigEndian(UInt16(clamping: sorted.count))
        let tailStart = start + 2 + 12 * sorted.count + 4
        var tail: [UInt8] = []
        for (tag, field) in sorted {
            entries += Self.bigEndian(UInt16(clamping: tag)) + Self.bigEndian(field.type)
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

extension TIFFDirectory {
    /// Those of the tags that a directory has: numbers unchanged, texts cleaned. Values that the reader does not understand are left out.
    init(_ tags: [Int], of directory: [Int: TIFFReader.Entry], in tiff: TIFFReader) {
        self.init()
        for tag in tags {
            guard let entry = directory[tag] else { continue }
            if let text = tiff.text(entry) {
                ascii(tag, text)
            } else if let numbers = tiff.numbers(entry) {
                set(tag, numbers.type, Int(numbers.count), numbers.bytes)
            }
        }
    }
}
