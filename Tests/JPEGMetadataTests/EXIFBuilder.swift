/// The value of one TIFF field.
indirect enum EXIFValue: Sendable {
    case text(String)
    case short(UInt16)
    case long(UInt32)
    case rational([(UInt32, UInt32)])
    case undefined([UInt8])
    case directory([UInt16: EXIFValue])
    /// Type, count and the four value bytes, unchanged.
    case raw(UInt16, UInt32, UInt32)
}

/// Writes TIFF structures of either byte order for tests, valid and malformed ones.
struct EXIFBuilder {
    var isLittleEndian = false

    /// APP1 with the main directory, and a second one (for a preview) if there are `preview` bytes.
    func segment(_ main: [UInt16: EXIFValue], preview: [UInt8]? = nil) -> [UInt8] {
        JPEGParts.segment(0xe1, Array("Exif\0\0".utf8) + structure(main, preview: preview))
    }

    func structure(_ main: [UInt16: EXIFValue], preview: [UInt8]? = nil) -> [UInt8] {
        let order: [UInt8] = isLittleEndian ? [0x49, 0x49] : [0x4d, 0x4d]
        var bytes = order + number(UInt16(42)) + number(UInt32(8))
        let first = directory(main, at: 8, next: 0)
        guard let preview else { return bytes + first }
        let second = 8 + first.count
        bytes += directory(main, at: 8, next: UInt32(second))
        let length = directory([0x0201: .long(0), 0x0202: .long(0)], at: second, next: 0).count
        bytes += directory([0x0201: .long(UInt32(second + length)), 0x0202: .long(UInt32(preview.count))], at: second, next: 0)
        return bytes + preview
    }

    private func directory(_ fields: [UInt16: EXIFValue], at offset: Int, next: UInt32) -> [UInt8] {
        var table = number(UInt16(fields.count))
        var values: [UInt8] = []
        let start = offset + 2 + 12 * fields.count + 4
        for (tag, value) in fields.sorted(by: { $0.key < $1.key }) {
            let here = UInt32(start + values.count)
            switch value {
            case .raw(let type, let count, let word): table += number(tag) + number(type) + number(count) + number(word)
            case .directory(let inner):
                table += number(tag) + number(UInt16(4)) + number(UInt32(1)) + number(here)
                values += directory(inner, at: Int(here), next: 0)
            case .text(let text): add(tag, 2, text.utf8.count + 1, Array(text.utf8) + [0])
            case .short(let word): add(tag, 3, 1, number(word))
            case .long(let word): add(tag, 4, 1, number(word))
            case .undefined(let bytes): add(tag, 7, bytes.count, bytes)
            case .rational(let pairs): add(tag, 5, pairs.count, pairs.flatMap { number($0.0) + number($0.1) })
            }
            func add(_ tag: UInt16, _ type: UInt16, _ count: Int, _ bytes: [UInt8]) {
                table += number(tag) + number(type) + number(UInt32(count))
                if bytes.count <= 4 {
                    table += bytes + [UInt8](repeating: 0, count: 4 - bytes.count)
                } else {
                    table += number(here)
                    values += bytes
                }
            }
            if !values.count.isMultiple(of: 2) { values.append(0) }
        }
        return table + number(next) + values
    }

    private func number(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: isLittleEndian ? value.littleEndian : value.bigEndian) { Array($0) }
    }
}

/// Parts of JPEG files.
enum JPEGParts {
    static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [0xff, marker, UInt8((payload.count + 2) >> 8), UInt8((payload.count + 2) & 255)] + payload
    }

    /// The same file with segments inserted directly after SOI.
    static func inserting(_ segments: [UInt8], into jpeg: [UInt8]) -> [UInt8] { Array(jpeg[..<2]) + segments + jpeg[2...] }

    /// From the first scan header to the end.
    static func scans(of jpeg: [UInt8]) -> [UInt8] {
        guard let start = jpeg.indices.dropLast().first(where: { jpeg[$0] == 0xff && jpeg[$0 + 1] == 0xda }) else { return [] }
        return Array(jpeg[start...])
    }
}
