/// Reads the directories (IFDs) of a TIFF structure, with bounds checks on every access.
struct TIFFReader {
    struct Entry {
        let type: UInt16
        let count: UInt32
        /// The value's offset from the start of the structure.
        let offset: Int
    }
    /// More entries than any camera writes into one directory.
    static let maximumEntries = 512
    private let bytes: ArraySlice<UInt8>
    private let isLittleEndian: Bool
    private(set) var firstDirectory = 0

    /// `nil` unless the bytes begin with a byte order mark and 42.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count >= 8 else { return nil }
        switch (bytes[bytes.startIndex], bytes[bytes.startIndex + 1]) {
        case (0x49, 0x49): isLittleEndian = true
        case (0x4d, 0x4d): isLittleEndian = false
        default: return nil
        }
        self.bytes = bytes
        guard number(at: 2, width: 2) == 42, let first = number(at: 4, width: 4) else { return nil }
        firstDirectory = first
    }

    /// The entries by tag; the first of a repeated tag counts. Empty if there is no directory.
    func directory(at offset: Int) -> [Int: Entry] {
        guard let count = number(at: offset, width: 2), count <= Self.maximumEntries else { return [:] }
        var entries: [Int: Entry] = [:]
        for index in 0..<count {
            let start = offset + 2 + index * 12
            guard let tag = number(at: start, width: 2), let type = number(at: start + 2, width: 2),
                let values = number(at: start + 4, width: 4), let pointer = number(at: start + 8, width: 4)
            else { break }
            let size = Self.size(of: type) * values
            let entry = Entry(type: UInt16(type), count: UInt32(values), offset: size <= 4 ? start + 8 : pointer)
            if entries[tag] == nil { entries[tag] = entry }
        }
        return entries
    }

    /// ASCII up to its NUL, trimmed, at most 100 characters; `nil` for another type or an empty text.
    func text(_ entry: Entry) -> String? {
        guard entry.type == 2, entry.count <= 1000, let value = slice(at: entry.offset, count: Int(entry.count)) else { return nil }
        let text = String(decoding: value.prefix { $0 != 0 }, as: UTF8.self)
        let kept = String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7f }.prefix(100)))
        let words = kept.drop { $0 == " " }
        guard let last = words.lastIndex(where: { $0 != " " }) else { return nil }
        return String(words[...last])
    }

    /// One SHORT or LONG.
    func integer(_ entry: Entry) -> Int? {
        guard entry.count == 1 else { return nil }
        switch entry.type {
        case 3: return number(at: entry.offset, width: 2)
        case 4: return number(at: entry.offset, width: 4)
        default: return nil
        }
    }

    /// Up to 8 numbers, converted to big-endian; `nil` for texts, unknown types and more values.
    func numbers(_ entry: Entry) -> (type: UInt16, count: UInt32, bytes: [UInt8])? {
        let width: Int
        let parts: Int
        switch entry.type {
        case 1, 7: (width, parts) = (1, 1)
        case 3: (width, parts) = (2, 1)
        case 4, 9: (width, parts) = (4, 1)
        case 5, 10: (width, parts) = (4, 2)
        default: return nil
        }
        guard (1...8).contains(entry.count) else { return nil }
        var bytes: [UInt8] = []
        for index in 0..<Int(entry.count) * parts {
            guard let value = slice(at: entry.offset + index * width, count: width) else { return nil }
            bytes.append(contentsOf: isLittleEndian ? Array(value.reversed()) : Array(value))
        }
        return (entry.type, entry.count, bytes)
    }

    private func number(at offset: Int, width: Int) -> Int? {
        guard let slice = slice(at: offset, count: width) else { return nil }
        let ordered = isLittleEndian ? Array(slice.reversed()) : Array(slice)
        return ordered.reduce(0) { $0 << 8 | Int($1) }
    }

    private func slice(at offset: Int, count: Int) -> ArraySlice<UInt8>? {
        guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else { return nil }
        return bytes[bytes.startIndex + offset..<bytes.startIndex + offset + count]
    }

    /// The size in bytes of one value of a TIFF type; 8, the largest, for unknown types.
    private static func size(of type: Int) -> Int {
        switch type {
        case 1, 2, 6, 7: 1
        case 3, 8: 2
        case 4, 9, 11, 13: 4
        default: 8
        }
    }
}
