/// Writes a new EXIF segment with the public tags of an existing one.
enum EXIFWriter {
    /// An APP1 segment with the tags of ``EXIFPublicTags``, numbers unchanged and texts cleaned; empty if there are none.
    static func publicSegment(of tiff: TIFFReader) -> [UInt8] {
        let directory = tiff.directory(at: tiff.firstDirectory)
        var main = fields(EXIFPublicTags.main, of: directory, in: tiff)
        let photo = directory[0x8769].flatMap(tiff.integer).map { fields(EXIFPublicTags.photo, of: tiff.directory(at: $0), in: tiff) } ?? []
        guard !main.isEmpty || !photo.isEmpty else { return [] }
        // Big-endian TIFF; the first directory directly follows the header, the second follows the first.
        var structure: [UInt8] = [0x4d, 0x4d, 0, 42, 0, 0, 0, 8]
        if photo.isEmpty {
            structure += serialized(main, at: 8)
        } else {
            main.append(Field(tag: 0x8769, type: 4, count: 1, value: bytes(UInt32(0))))
            let start = 8 + serialized(main, at: 8).count
            main[main.count - 1].value = bytes(UInt32(start))
            structure += serialized(main, at: 8)
            structure += serialized(photo, at: start)
        }
        let payload = Array("Exif\0\0".utf8) + structure
        // At most 42 fields of at most 401 bytes: they always fit one segment.
        return [0xff, 0xe1] + bytes(UInt16(truncatingIfNeeded: payload.count + 2)) + payload
    }

    private struct Field {
        let tag: UInt16
        let type: UInt16
        let count: UInt32
        var value: [UInt8]
    }

    private static func fields(_ tags: [Int], of directory: [Int: TIFFReader.Entry], in tiff: TIFFReader) -> [Field] {
        tags.compactMap { tag in
            guard let entry = directory[tag] else { return nil }
            if let text = tiff.text(entry) {
                let value = Array(text.utf8) + [0]
                return Field(tag: UInt16(tag), type: 2, count: UInt32(value.count), value: value)
            }
            guard let numbers = tiff.numbers(entry) else { return nil }
            return Field(tag: UInt16(tag), type: numbers.type, count: numbers.count, value: numbers.bytes)
        }
    }

    /// The entries in order of their tags, then the values that do not fit into the entries.
    private static func serialized(_ fields: [Field], at offset: Int) -> [UInt8] {
        var table = bytes(UInt16(truncatingIfNeeded: fields.count))
        var values: [UInt8] = []
        let valuesStart = offset + 2 + fields.count * 12 + 4
        for field in fields {
            table += bytes(field.tag) + bytes(field.type) + bytes(field.count)
            if field.value.count <= 4 {
                table += field.value + [UInt8](repeating: 0, count: 4 - field.value.count)
            } else {
                table += bytes(UInt32(truncatingIfNeeded: valuesStart + values.count))
                values += field.value + (field.value.count.isMultiple(of: 2) ? [] : [0])
            }
        }
        return table + [0, 0, 0, 0] + values
    }

    private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
}
