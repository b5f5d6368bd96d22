/// What a photo says of itself in EXIF (CIPA DC-008), as far as the checks need it.
public struct EXIFFields: Sendable, Equatable {
    public var make: String?
    public var model: String?
    /// 1...8 (TIFF 6.0); how to turn the stored rows upright.
    public var orientation: Int?
    /// "2026:11:21 07:00:00", as written.
    public var dateTimeOriginal: String?
    /// "+01:00", as written.
    public var offsetTimeOriginal: String?
    /// Digits of a decimal fraction, as written.
    public var subSecTimeOriginal: String?
    public var hasGPS = false
    /// Of the coded picture, from its frame header.
    public var pixelWidth: Int?
    public var pixelHeight: Int?

    public init() {}
}

/// Reads EXIF from the head of a JPEG. Hostile input gives fewer fields, never a crash or a long loop.
public enum EXIFReader {
    /// - Parameter jpeg: the file, or a prefix of it; segments that are cut off are not read.
    /// - Returns: `nil` if it is no JPEG.
    public static func read(jpeg: [UInt8]) -> EXIFFields? {
        guard jpeg.count >= 4, jpeg[0] == 0xff, jpeg[1] == 0xd8 else { return nil }
        var fields = EXIFFields()
        var hasEXIF = false
        var walker = JPEGMarkerWalker(jpeg)
        while let segment = walker.next() {
            if segment.isFrameHeader, segment.payload.count >= 5 {
                let start = segment.payload.startIndex
                fields.pixelHeight = Int(jpeg[start + 1]) << 8 | Int(jpeg[start + 2])
                fields.pixelWidth = Int(jpeg[start + 3]) << 8 | Int(jpeg[start + 4])
            }
            // Only the first counts: a second one is not what a reader would show.
            if segment.isEXIF, !hasEXIF, let tiff = TIFFReader(jpeg[segment.payload].dropFirst(6)) {
                hasEXIF = true
                read(tiff, into: &fields)
            }
        }
        return fields
    }

    private static func read(_ tiff: TIFFReader, into fields: inout EXIFFields) {
        let main = tiff.directory(at: tiff.firstDirectory)
        fields.make = main[0x010f].flatMap(tiff.text)
        fields.model = main[0x0110].flatMap(tiff.text)
        fields.orientation = main[0x0112].flatMap(tiff.integer).flatMap { (1...8).contains($0) ? $0 : nil }
        fields.hasGPS = main[0x8825] != nil
        guard let pointer = main[0x8769].flatMap(tiff.integer) else { return }
        let photo = tiff.directory(at: pointer)
        fields.dateTimeOriginal = photo[0x9003].flatMap(tiff.text)
        fields.offsetTimeOriginal = photo[0x9011].flatMap(tiff.text)
        fields.subSecTimeOriginal = photo[0x9291].flatMap(tiff.text)
    }
}

/// The directories of a TIFF structure, every access inside its bytes.
struct TIFFReader {
    struct Entry {
        let type: UInt16
        let count: UInt32
        /// Where the value lies, from the structure's start.
        let offset: Int
    }
    /// No camera writes more into one directory.
    static let maximumEntries = 512
    private let bytes: ArraySlice<UInt8>
    private let isLittleEndian: Bool
    private(set) var firstDirectory = 0

    /// `nil` unless it begins with a byte order and 42.
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

    /// ASCII up to its NUL, without surrounding blanks, at most 100 characters; `nil` for another type or an empty text.
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

    func number(at offset: Int, width: Int) -> Int? {
        guard let slice = slice(at: offset, count: width) else { return nil }
        let ordered = isLittleEndian ? Array(slice.reversed()) : Array(slice)
        return ordered.reduce(0) { $0 << 8 | Int($1) }
    }

    private func slice(at offset: Int, count: Int) -> ArraySlice<UInt8>? {
        guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else { return nil }
        return bytes[bytes.startIndex + offset..<bytes.startIndex + offset + count]
    }

    /// Bytes of one value of a TIFF type; 8, the largest, for unknown ones.
    private static func size(of type: Int) -> Int {
        switch type {
        case 1, 2, 6, 7: 1
        case 3, 8: 2
        case 4, 9, 11, 13: 4
        default: 8
        }
    }
}
