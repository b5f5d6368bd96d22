/// Writes a small EXIF segment of chosen fields.
enum EXIFWriter {
    /// APP1 with make, model, orientation and capture time, as far as they are known; empty if none is.
    static func segment(_ fields: EXIFFields) -> [UInt8] {
        var main: [Entry] = []
        if let make = fields.make { main.append(.text(0x010f, make)) }
        if let model = fields.model { main.append(.text(0x0110, model)) }
        if let orientation = fields.orientation { main.append(.short(0x0112, UInt16(orientation))) }
        var photo: [Entry] = []
        if let time = fields.dateTimeOriginal { photo.append(.text(0x9003, time)) }
        if let offset = fields.offsetTimeOriginal { photo.append(.text(0x9011, offset)) }
        if let fraction = fields.subSecTimeOriginal { photo.append(.text(0x9291, fraction)) }
        guard !main.isEmpty || !photo.isEmpty else { return [] }
        // Big-endian TIFF; the first directory stands right behind the header.
        var tiff: [UInt8] = [0x4d, 0x4d, 0, 42, 0, 0, 0, 8]
        if photo.isEmpty {
            tiff += directory(main, at: 8)
        } else {
            let sizeWithoutPointer = directory(main + [.long(0x8769, 0)], at: 8).count
            tiff += directory(main + [.long(0x8769, UInt32(8 + sizeWithoutPointer))], at: 8)
            tiff += directory(photo, at: tiff.count)
        }
        let payload = Array("Exif\0\0".utf8) + tiff
        return [0xff, 0xe1] + bytes(UInt16(truncatingIfNeeded: payload.count + 2)) + payload
    }

    private enum Entry {
        case text(UInt16, String)
        case short(UInt16, UInt16)
        case long(UInt16, UInt32)
    }

    /// Entries in order of their tags, then the values that do not fit into them.
    private static func directory(_ entries: [Entry], at offset: Int) -> [UInt8] {
        var table = bytes(UInt16(truncatingIfNeeded: entries.count))
        var values: [UInt8] = []
        let valuesStart = offset + 2 + entries.count * 12 + 4
        for entry in entries {
            switch entry {
            case .short(let tag, let value): table += bytes(tag) + bytes(UInt16(3)) + bytes(UInt32(1)) + bytes(value) + [0, 0]
            case .long(let tag, let value): table += bytes(tag) + bytes(UInt16(4)) + bytes(UInt32(1)) + bytes(value)
            case .text(let tag, let text):
                let value = Array(text.utf8.prefix(400)) + [0]
                table += bytes(tag) + bytes(UInt16(2)) + bytes(UInt32(value.count))
                if value.count <= 4 {
                    table += value + [UInt8](repeating: 0, count: 4 - value.count)
                } else {
                    table += bytes(UInt32(valuesStart + values.count))
                    values += value + (value.count.isMultiple(of: 2) ? [] : [0])
                }
            }
        }
        return table + [0, 0, 0, 0] + values
    }

    private static func bytes(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xff)] }
    private static func bytes(_ value: UInt32) -> [UInt8] {
        [UInt8(value >> 24), UInt8(value >> 16 & 0xff), UInt8(value >> 8 & 0xff), UInt8(value & 0xff)]
    }
}
