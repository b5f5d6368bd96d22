/// A ZIP in the one possible form (SPEC §14 "Bundle"): entries stored, back to back from byte 0 in the directory's order, and nothing that
/// two readers could read differently.
struct StoredArchive {
    struct Entry: Equatable {
        let name: [UInt8]
        let content: ArraySlice<UInt8>
        /// What is written elsewhere in the place of ``content``, which is empty then.
        var outside: BundledFile?

        var sizeBytes: Int { outside?.sizeBytes ?? content.count }
    }

    /// What all entries may have together, headers included: below what needs ZIP64, and more than an owner's bundle of a video.
    static let maximumBytes = 256 << 20
    static let maximumEntries = 4096
    static let maximumNameBytes = 128
    private static let (localSize, directorySize, endSize) = (30, 46, 22)

    let entries: [Entry]

    /// - Throws: ``BundleError`` if it would be larger than is read.
    init(_ entries: [Entry]) throws(BundleError) {
        let size = entries.reduce(Self.endSize) { $0 + Self.localSize + Self.directorySize + 2 * $1.name.count + $1.sizeBytes }
        guard entries.count <= Self.maximumEntries, size <= Self.maximumBytes,
            entries.allSatisfy({ (1...Self.maximumNameBytes).contains($0.name.count) })
        else { throw BundleError(.tooLarge, "a bundle has at most 256 MiB and 4,096 entries") }
        self.entries = entries
    }

    /// Reads an archive, and compares every byte with what ``bytes`` writes of it.
    /// - Throws: ``BundleError`` with the code `archive` or `tooLarge`.
    init(_ bytes: [UInt8]) throws(BundleError) {
        guard bytes.count <= Self.maximumBytes else { throw BundleError(.tooLarge, "a bundle has at most 256 MiB") }
        var entries: [Entry] = []
        var directory: [UInt8] = []
        var position = 0
        while let entry = Self.entry(in: bytes, at: position) {
            guard entries.count < Self.maximumEntries else { throw BundleError(.tooLarge, "a bundle has at most 4,096 entries") }
            let fields = Fields(entry)
            let content = entry.content.startIndex
            guard bytes[position..<content].elementsEqual(fields.localHeader + entry.name) else { throw Self.otherForm }
            directory += fields.directoryHeader(offset: position) + entry.name
            entries.append(entry)
            position = entry.content.endIndex
        }
        let end = Self.end(count: entries.count, directorySize: directory.count, offset: position)
        guard bytes[position...].elementsEqual(directory + end) else { throw Self.otherForm }
        self.entries = entries
    }

    /// The one form; without what is written elsewhere.
    var bytes: [UInt8] { Array(parts.joined()) }

    /// The one form, cut where each content belongs that is written elsewhere.
    var parts: [[UInt8]] {
        var parts: [[UInt8]] = []
        var output: [UInt8] = []
        var directory: [UInt8] = []
        var position = 0
        for entry in entries {
            let fields = Fields(entry)
            directory += fields.directoryHeader(offset: position) + entry.name
            let header = fields.localHeader + entry.name
            output += header
            output += entry.content
            position += header.count + entry.sizeBytes
            guard entry.outside != nil else { continue }
            parts.append(output)
            output = []
        }
        let end = Self.end(count: entries.count, directorySize: directory.count, offset: position)
        return parts + [output + directory + end]
    }

    private static var otherForm: BundleError { BundleError(.archive, "is not a ZIP in the form that bundles have") }

    /// The entry whose header begins here, by its two lengths alone; `nil` if there is none, or if it does not end inside the archive.
    private static func entry(in bytes: [UInt8], at position: Int) -> Entry? {
        guard position + localSize <= bytes.count, bytes[position..<position + 4].elementsEqual(Fields.localSignature) else { return nil }
        let header = bytes[position..<position + localSize]
        func number(_ offset: Int, _ count: Int) -> Int {
            header[(position + offset)..<(position + offset + count)].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        let (name, content) = (position + localSize, position + localSize + number(26, 2))
        let end = content + number(22, 4)
        guard (1...maximumNameBytes).contains(content - name), end <= bytes.count else { return nil }
        return Entry(name: Array(bytes[name..<content]), content: bytes[content..<end])
    }

    /// APPNOTE §4.3.16. Count and sizes are within 16 and 32 bits by the bounds above.
    private static func end(count: Int, directorySize: Int, offset: Int) -> [UInt8] {
        [0x50, 0x4b, 0x05, 0x06, 0, 0, 0, 0] + Fields.number(count, 2) + Fields.number(count, 2) + Fields.number(directorySize, 4)
            + Fields.number(offset, 4) + [0, 0]
    }

    /// The fields that the headers of an entry have in common.
    private struct Fields {
        static let localSignature: [UInt8] = [0x50, 0x4b, 0x03, 0x04]
        private static let directorySignature: [UInt8] = [0x50, 0x4b, 0x01, 0x02]
        /// APPNOTE §4.4.3 and §4.4.2: 2.0, and of the version that can read it 1.0.
        private static let (versionMadeBy, versionNeeded) = (number(20, 2), number(10, 2))
        /// From the version needed to the length of the extra field, which is 0.
        private let common: [UInt8]

        init(_ entry: Entry) {
            let checksum = Int(entry.outside?.checksum ?? CRC32.checksum(entry.content))
            let size = Self.number(entry.sizeBytes, 4)
            // Flags 0, method 0, time 0, date 1980-01-01.
            common =
                Self.versionNeeded + [0, 0, 0, 0, 0, 0, 0x21, 0] + Self.number(checksum, 4) + size + size
                + Self.number(entry.name.count, 2) + [0, 0]
        }

        /// APPNOTE §4.3.7, without the name.
        var localHeader: [UInt8] { Self.localSignature + common }

        /// APPNOTE §4.3.12, without the name: no comment, disk 0, no attributes.
        func directoryHeader(offset: Int) -> [UInt8] {
            Self.directorySignature + Self.versionMadeBy + common + [UInt8](repeating: 0, count: 10) + Self.number(offset, 4)
        }

        /// Little-endian.
        static func number(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
    }
}
