import CaptureProtocol
import Depth
import Foundation
import Testing

@testable import VideoChain

/// Collects whole records.
private struct Collected: DepthDataVisitor {
    var width = 0
    var height = 0
    var maps: [(record: DepthRecord, bytes: [UInt8])] = []
    var current: [UInt8] = []

    mutating func begin(width: Int, height: Int) { (self.width, self.height) = (width, height) }
    mutating func take(_ bytes: UnsafeRawBufferPointer) { current += bytes }
    mutating func end(_ record: DepthRecord) {
        maps.append((record, current))
        current = []
    }
}

@Suite("Depth data of a video")
struct DepthDataTests {
    private static func record(_ sample: UInt32, _ time: Int64, _ values: [UInt8]) -> [UInt8] {
        DepthData.recordHeader(sample: sample, time: time) + values
    }
    private static let valid =
        DepthData.header(width: 2, height: 1) + record(0, 0, Array(0..<8)) + record(3, 60, Array(8..<16)) + record(6, 120, Array(16..<24))

    private static func parse(_ bytes: [UInt8], chunk: Int = .max) throws -> Collected {
        var parser = DepthDataParser(Collected())
        try feed(bytes, to: &parser, chunk: chunk)
        try parser.finish()
        #expect(parser.count == parser.visitor.maps.count)
        return parser.visitor
    }

    private static func feed<Visitor>(_ bytes: [UInt8], to parser: inout DepthDataParser<Visitor>, chunk: Int) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(chunk))
            rest = rest.dropFirst(chunk)
            try part.withUnsafeBytes { try parser.update($0) }
        }
    }

    @Test("is read in chunks of any size", arguments: [1, 2, 7, 15, 16, 17, 33, 1000])
    func chunks(size: Int) throws {
        let read = try Self.parse(Self.valid, chunk: size)
        #expect(read.width == 2 && read.height == 1)
        #expect(read.maps.map(\.record) == [.init(sample: 0, time: 0), .init(sample: 3, time: 60), .init(sample: 6, time: 120)])
        #expect(read.maps.map(\.bytes) == [Array(0..<8), Array(8..<16), Array(16..<24)])
    }

    @Test("is refused cut off anywhere but behind a record")
    func cut() throws {
        for count in Self.valid.indices where (count - 16) % 24 != 0 || count <= 16 {
            #expect(throws: DepthDataError.self) { try Self.parse(Array(Self.valid.prefix(count))) }
        }
        #expect(try Self.parse(Array(Self.valid.prefix(40))).maps.count == 1)
    }

    @Test("is refused with another magic, version, reserved field or size", arguments: [0, 3, 4, 7, 12, 15, 20])
    func changed(offset: Int) {
        var bytes = Self.valid
        bytes[offset] ^= 0x40
        #expect(throws: DepthDataError.self) { try Self.parse(bytes) }
    }

    @Test("is refused with sides of 0 or over 1024", arguments: [(0, 1), (1, 0), (1025, 1), (1, 1025), (65_535, 65_535)])
    func sides(width: UInt16, height: UInt16) {
        let bytes = DepthData.header(width: width, height: height) + DepthData.recordHeader(sample: 0, time: 0)
        #expect { try Self.parse(bytes) } throws: { "\($0)".contains("each side must be 1 to 1024") }
    }

    @Test("is refused with times that do not ascend", arguments: [Int64(60), 59, 0, -1, .min])
    func order(time: Int64) {
        let bytes = DepthData.header(width: 1, height: 1) + Self.record(0, 60, [0, 0, 0, 0]) + Self.record(3, time, [0, 0, 0, 0])
        #expect { try Self.parse(bytes) } throws: { "\($0)".contains("ascending") }
    }

    @Test("has at most 200 records")
    func count() throws {
        func bytes(_ count: Int) -> [UInt8] {
            DepthData.header(width: 1, height: 1) + (0..<count).flatMap { Self.record(UInt32($0), Int64($0), [0, 0, 0, 0]) }
        }
        #expect(try Self.parse(bytes(200)).maps.count == 200)
        #expect { try Self.parse(bytes(201)) } throws: { "\($0)".contains("more than 200 records") }
    }

    /// A zlib stream of one map, made so that as a raw DEFLATE stream it begins with another one, and never ends.
    private static let ambiguous = """
        eJylY1pSTERQAgAAAAIAAQAAAAAAu7u7uwAAAAC7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u7u2tmZmZmZmZmZmZmZmbGzMzMzMzMzMzMzMzM\
        sQM7jvRta2vr29anra2tra29ra2tra2tbUNbW1tbW1tbW5ttc1vbtC3/ATkdAtY=
        """

    @Test("is not to blame for memory that ran out")
    func memory() {
        #expect(DepthDataError(DepthError(.outOfMemory, "inflate")).code == .outOfMemory)
        let others = [DepthError.Code.corrupt, .truncated, .malformed, .tooLong]
        #expect(others.allSatisfy { DepthDataError(DepthError($0, "")).code != .outOfMemory })
    }

    @Test("that can be read in two ways gives the maps of the one that ends, the same as the digests")
    func ambiguity() throws {
        let part = [UInt8](try #require(Data(base64Encoded: Self.ambiguous)))
        let maps = DepthMaps(into: [(record: DepthRecord, metres: [Float])]()) { maps, record, map in maps.append((record, map.metres)) }
        let read = try InflatedDepthData.read(part, maps)
        #expect(read.width == 2 && read.height == 1)
        #expect(read.visitor.gathered.map(\.record) == [DepthRecord(sample: 3, time: 60)])
        #expect(read.visitor.gathered.first?.metres == [1.5, 2.5])
        #expect(try InflatedDepthData.read(part, DepthDigests()).visitor.records.map(\.record) == [DepthRecord(sample: 3, time: 60)])
        // The other way there are maps, too.
        var seen: [DepthRecord] = []
        let either = DepthMaps(into: ()) { _, record, _ in seen.append(record) }
        _ = try InflatedDepthData.read(part, either)
        #expect(seen.count == 2)
    }

    @Test("gives the digest of each map")
    func digests() throws {
        var parser = DepthDataParser(DepthDigests())
        try Self.feed(Self.valid, to: &parser, chunk: 1)
        #expect(
            parser.visitor.records.map(\.digest) == [Array(0..<8), Array(8..<16), Array(16..<24)].map { ContentDigest(of: $0 as [UInt8]) })
    }
}
