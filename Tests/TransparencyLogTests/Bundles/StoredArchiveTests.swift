import TestSupport
import Testing

@testable import TransparencyLog

@Suite("The archive of a bundle")
struct StoredArchiveTests {
    private typealias Entry = StoredArchive.Entry
    private static let entries = [
        Entry(name: Array("a".utf8), content: Array("first".utf8)[...]), Entry(name: Array("b/c".utf8), content: []),
        Entry(name: Array("d".utf8), content: [UInt8](0...255)[...]),
    ]

    private static func bytes() throws -> [UInt8] { try StoredArchive(entries).bytes }

    /// Where the directory and the end of the directory begin.
    private static func places(_ bytes: [UInt8]) throws -> (directory: Int, end: Int) {
        let directory = 3 * 30 + 5 + 5 + 256
        let end = bytes.count - 22
        #expect(
            bytes[directory..<directory + 4].elementsEqual([0x50, 0x4b, 1, 2]) && bytes[end..<end + 4].elementsEqual([0x50, 0x4b, 5, 6]))
        return (directory, end)
    }

    /// Little-endian.
    private static func number(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }

    /// An archive of empty entries in the one form, from a writer without bounds.
    private static func archive(of names: [[UInt8]]) -> [UInt8] {
        var headers: [UInt8] = []
        var directory: [UInt8] = []
        for name in names {
            // From the version needed to the length of the extra field. The checksum of nothing is 0, as is its size.
            let fields: [[UInt8]] = [
                [10, 0, 0, 0, 0, 0, 0, 0, 0x21, 0], [UInt8](repeating: 0, count: 12), number(name.count, 2), [0, 0],
            ]
            let common = fields.flatMap { $0 }
            let inDirectory: [[UInt8]] = [
                [0x50, 0x4b, 1, 2, 20, 0], common, [UInt8](repeating: 0, count: 10), number(headers.count, 4), name,
            ]
            directory += inDirectory.flatMap { $0 }
            let header: [[UInt8]] = [[0x50, 0x4b, 3, 4], common, name]
            headers += header.flatMap { $0 }
        }
        let count = number(names.count, 2)
        let end: [[UInt8]] = [
            [0x50, 0x4b, 5, 6, 0, 0, 0, 0], count, count, number(directory.count, 4), number(headers.count, 4), [0, 0],
        ]
        return headers + directory + end.flatMap { $0 }
    }

    private func isRefused(_ bytes: [UInt8]) -> Bool { (try? StoredArchive(bytes)) == nil }

    /// Why an archive is refused; `nil` if it is not.
    private func refusal(_ bytes: [UInt8]) -> BundleError.Code? {
        do throws(BundleError) {
            _ = try StoredArchive(bytes)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("has the checksum of ISO 3309", arguments: [("", 0), ("123456789", 0xcbf4_3926), ("a", 0xe8b7_be43)] as [(String, UInt32)])
    func checksum(text: String, expected: UInt32) { #expect(CRC32.checksum(text.utf8) == expected) }

    @Test("is read as it was written")
    func roundTrip() throws {
        let bytes = try Self.bytes()
        #expect(try StoredArchive(bytes).entries == Self.entries)
        #expect(try StoredArchive(bytes).bytes == bytes)
        #expect(try StoredArchive([Entry]()).bytes == [0x50, 0x4b, 5, 6] + [UInt8](repeating: 0, count: 18))
        #expect(try StoredArchive(StoredArchive([Entry]()).bytes).entries.isEmpty)
    }

    @Test("is refused cut off anywhere, with a byte in front, behind, or between")
    func cuts() throws {
        let bytes = try Self.bytes()
        for count in bytes.indices { #expect(isRefused(Array(bytes[..<count]))) }
        for place in 0...bytes.count {
            var longer = bytes
            longer.insert(0, at: place)
            #expect(isRefused(longer), "a byte at \(place)")
        }
    }

    @Test("is refused with any bit changed")
    func bits() throws {
        let bytes = try Self.bytes()
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << bit
                #expect(isRefused(changed), "bit \(bit) of \(index)")
            }
        }
    }

    @Test(
        "is refused with another field, in header and directory alike",
        arguments: [
            (0, 20, "version"), (2, 1, "encrypted"), (2, 8, "descriptor"), (3, 8, "UTF-8"), (4, 8, "deflated"), (6, 1, "time"),
            (8, 0x22, "day"),
            (9, 1, "year"), (10, 1, "checksum"),
        ] as [(Int, UInt8, String)])
    func fields(offset: Int, value: UInt8, what: String) throws {
        var bytes = try Self.bytes()
        let directory = try Self.places(bytes).directory
        #expect(bytes[4 + offset] != value)
        // The first entry's fields, from the version needed on, stand two bytes later in the directory.
        bytes[4 + offset] = value
        bytes[directory + 6 + offset] = value
        #expect(isRefused(bytes), "\(what)")
    }

    @Test(
        "is refused with another version of the maker, attributes, disk or place in the directory",
        arguments: [
            (4, "maker"), (5, "system"), (34, "disk"), (36, "text"), (38, "attributes"), (40, "mode"), (41, "mode"), (42, "offset"),
        ])
    func directoryFields(offset: Int, what: String) throws {
        var bytes = try Self.bytes()
        bytes[try Self.places(bytes).directory + offset] ^= 4
        #expect(isRefused(bytes), "\(what)")
    }

    @Test("is refused with extra fields or comments, wherever they stand")
    func extras() throws {
        let bytes = try Self.bytes()
        let (directory, end) = try Self.places(bytes)
        let extra: [UInt8] = [0xfe, 0xca, 0, 0]
        func changed(lengthAt place: Int, insertAt: Int, movesDirectory: Bool, growsDirectory: Bool) -> [UInt8] {
            var changed = bytes
            changed[place] = 4
            if movesDirectory { changed[end + 16] += 4 }
            if growsDirectory { changed[end + 12] += 4 }
            changed.insert(contentsOf: extra, at: insertAt)
            return changed
        }
        #expect(isRefused(changed(lengthAt: 28, insertAt: 31, movesDirectory: true, growsDirectory: false)), "a header's extra field")
        #expect(
            isRefused(changed(lengthAt: directory + 30, insertAt: directory + 47, movesDirectory: false, growsDirectory: true)), "extra")
        #expect(
            isRefused(changed(lengthAt: directory + 32, insertAt: directory + 47, movesDirectory: false, growsDirectory: true)), "comment")
        #expect(isRefused(changed(lengthAt: end + 20, insertAt: end + 22, movesDirectory: false, growsDirectory: false)), "its comment")
    }

    @Test("is refused with bytes in front, even if all places are right")
    func prefix() throws {
        var bytes = try Self.bytes()
        let (directory, end) = try Self.places(bytes)
        for (place, name) in zip([directory, directory + 47, directory + 47 + 49], [1, 3, 1]) {
            #expect(bytes[place + 28] == UInt8(name))
            bytes[place + 42] += 4
        }
        bytes[end + 16] += 4
        #expect(isRefused([1, 2, 3, 4] + bytes))
    }

    @Test("is refused with ZIP64 records before its end")
    func zip64() throws {
        var bytes = try Self.bytes()
        let (directory, end) = try Self.places(bytes)
        // APPNOTE §4.3.14: three entries, size and place of the directory; §4.3.15: where that record stands.
        let record: [[UInt8]] = [
            [0x50, 0x4b, 6, 6], Self.number(44, 8), Self.number(45, 2), Self.number(45, 2), Self.number(0, 8), Self.number(3, 8),
            Self.number(3, 8), Self.number(end - directory, 8), Self.number(directory, 8),
        ]
        let locator: [[UInt8]] = [[0x50, 0x4b, 6, 7], Self.number(0, 4), Self.number(end, 8), Self.number(1, 4)]
        for place in end + 8..<end + 20 { bytes[place] = 0xff }
        bytes.insert(contentsOf: (record + locator).flatMap { $0 }, at: end)
        #expect(isRefused(bytes))
    }

    @Test("is refused with a directory in another order, or of other entries")
    func directory() throws {
        let bytes = try Self.bytes()
        let (directory, end) = try Self.places(bytes)
        let middle = directory + 47
        func joined(_ ranges: Range<Int>...) -> [UInt8] { ranges.flatMap { bytes[$0] } }
        #expect(isRefused(joined(0..<directory, middle..<end, directory..<middle, end..<bytes.count)), "turned around")
        #expect(isRefused(joined(0..<middle, directory..<bytes.count)), "one twice")
        #expect(isRefused(joined(0..<directory, middle..<bytes.count)), "one missing")
        #expect(isRefused(joined(0..<end, directory..<bytes.count)), "two directories")
        #expect(isRefused(bytes + bytes), "two archives")
        #expect(joined(0..<directory, directory..<middle, middle..<bytes.count) == bytes)
    }

    @Test("is refused with sizes beyond its end", arguments: [UInt32.max, 0x7fff_ffff, 1005] as [UInt32])
    func sizes(size: UInt32) throws {
        var bytes = try Self.bytes()
        let little = (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * UInt32($0))) }
        bytes.replaceSubrange(18..<26, with: little + little)
        #expect(isRefused(bytes))
        bytes = try Self.bytes()
        bytes[26] = 0xff
        bytes[27] = 0xff
        #expect(isRefused(bytes))
    }

    @Test("has at most 4,096 entries, with names of 1 to 128 bytes")
    func bounds() throws {
        let entry = Entry(name: [0x61], content: [])
        let most = try StoredArchive(Array(repeating: entry, count: 4096))
        #expect(try StoredArchive(most.bytes).entries.count == 4096)
        #expect(throws: BundleError.self) { try StoredArchive(Array(repeating: entry, count: 4097)) }
        for length in [0, 129] {
            #expect(throws: BundleError.self) { try StoredArchive([Entry(name: [UInt8](repeating: 0x61, count: length), content: [])]) }
        }
    }

    @Test("is refused with more than 4,096 entries, and with names of other than 1 to 128 bytes, whoever wrote it")
    func readBounds() throws {
        let most = [[UInt8]](repeating: [0x61], count: 4096)
        #expect(try StoredArchive(Self.archive(of: most)).entries.count == 4096)
        #expect(refusal(Self.archive(of: most + [[0x61]])) == .tooLarge)
        for length in [1, 128] {
            let name = [UInt8](repeating: 0x61, count: length)
            #expect(try StoredArchive(Self.archive(of: [name])).entries == [Entry(name: name, content: [])])
        }
        for length in [0, 129] {
            let name = [UInt8](repeating: 0x61, count: length)
            #expect(refusal(Self.archive(of: [name])) == .archive, "\(length) bytes")
        }
    }

    @Test("is refused with more than 256 MiB")
    func readSize() { #expect(refusal([UInt8](repeating: 0, count: (256 << 20) + 1)) == .tooLarge) }

    @Test("survives noise behind the beginning of an entry")
    func noise() throws {
        let bytes = try Self.bytes()
        var generator = SeededGenerator(seed: 14)
        for _ in 0..<2000 {
            var changed = Array(bytes.prefix(60))
            for _ in 0..<8 { changed[Int.random(in: 4..<60, using: &generator)] = UInt8.random(in: 0...255, using: &generator) }
            #expect(isRefused(changed))
        }
    }
}
