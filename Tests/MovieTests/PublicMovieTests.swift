import Foundation
import TestSupport
import Testing

@testable import Movie

@Suite("Public copies")
struct PublicMovieTests {
    private static let startedAt = Date(timeIntervalSince1970: 1_767_225_600)

    static func copy(_ bytes: [UInt8]) throws -> [UInt8] {
        let plan = PublicMovie(try Movie(file: bytes), startedAt: startedAt)
        let copy = plan.head + plan.ranges.flatMap { bytes[Int($0.lowerBound)..<Int($0.upperBound)] }
        #expect(plan.length == copy.count)
        // One read from front to back suffices.
        for (range, next) in zip(plan.ranges, plan.ranges.dropFirst()) { #expect(range.upperBound < next.lowerBound) }
        return copy
    }

    @Test("have the same streams and times", arguments: Shape.all)
    func copies(shape: Shape) throws {
        try MediaTool.inFolder { tool in
            let film = try shape.film()
            let copy = try Self.copy(film.bytes)
            try tool.write(copy, to: "copy.mp4")
            #expect(try tool.streamHashes("copy.mp4") == film.hashes)
            for (stream, expected) in [("v:0", film.pictures), ("a:0", film.packets)] where !expected.isEmpty {
                let found = try tool.packets("copy.mp4", stream)
                #expect(found.map(\.pts) == expected.map(\.pts) && found.map(\.dts) == expected.map(\.dts))
                #expect(found.map(\.hash) == expected.map(\.hash))
            }
            let (read, movie) = (try Movie(file: copy), try Movie(file: film.bytes))
            #expect(read.createdAt == Self.startedAt && read.timescale == movie.timescale)
            #expect(read.video.edit == movie.video.edit && read.sound?.edit == movie.sound?.edit)
            #expect(read.video.firstOffset == movie.video.firstOffset)
            #expect(read.video.format.configuration == movie.video.format.configuration)
            #expect(read.sound?.format == movie.sound?.format)
        }
    }

    @Test("play in one go, upright: all of it decodes", arguments: ["h264.mov", "reordered.mp4", "hevc.mov"])
    func decodes(name: String) throws {
        try MediaTool.inFolder { tool in
            let turned = TestBox.file(try Shape.named(name).film().bytes)
            turned.video["tkhd"].put([0, 1, -1, 0].flatMap { be32($0 << 16) }.inserting(be32(0), at: 8), at: 40)
            let copy = try Self.copy(turned.fileBytes)
            try tool.write(copy, to: "copy.mp4")
            #expect(try Movie(file: copy).video.format.rotation == .quarter)
            // ffmpeg turns the picture as the matrix says.
            let size = try tool.run("ffmpeg", ["-i", "copy.mp4", "-map", "0:v", "-f", "framemd5", "-"])
            #expect(String(decoding: size, as: UTF8.self).contains("#dimensions 0: 240x320"))
        }
    }

    @Test("have ftyp, moov and mdat alone, and nothing of what was planted")
    func planted() throws {
        let secret = "+48.2082+016.3738/"
        let file = TestBox.file(SmallFilm.bytes())
        let hidden = Array(secret.utf8)
        let metadata = MetadataTests.meta(
            MetadataTests.names, items: MetadataTests.item(1, hidden) + MetadataTests.item(3, Array("iPhone".utf8)))
        let user = TestBox(
            "udta", [], [TestBox("©xyz", be16(hidden.count) + be16(0x15c7) + hidden), TestBox("loci", be32(0) + be16(0x55c4) + hidden)])
        let timed = file.video.copy
        timed["mdia/hdlr"].put(Array("meta".utf8), at: 8)
        timed["mdia/hdlr"].payload += hidden
        file.video["mdia/hdlr"].payload += hidden
        file.video.entry.put([UInt8(hidden.count)] + hidden, at: 42)
        file.video.entry.children.append(TestBox("uuid", hidden))
        file.video.children.append(user.copy)
        file.movie.children += [metadata, user, timed]
        // Behind the samples, beside them in mdat, and as XMP.
        file.children.append(TestBox("free", hidden))
        file.children.append(TestBox("mdat", hidden))
        file.children.append(TestBox("uuid", Array("<x:xmpmeta>\(secret)</x:xmpmeta>".utf8)))
        #expect(try Movie(file: file.fileBytes).quickTimeModel == "iPhone")
        let copy = try Self.copy(file.fileBytes)
        let boxes = TestBox.file(copy)
        #expect(boxes.children.map(\.type) == ["ftyp", "moov", "mdat"])
        #expect(boxes.movie.children.map(\.type) == ["mvhd", "trak", "trak"])
        for text in [secret, "iPhone", "xmp", "quicktime"] { #expect(!copy.contains(Array(text.utf8)), "\(text)") }
        let original = try Movie(file: SmallFilm.bytes())
        #expect(boxes["mdat"].payload.count == original.fileOrder.reduce(0) { $0 + original.sample($1).size })
        #expect(boxes["mdat"].payload == TestBox.file(SmallFilm.bytes())["mdat"].payload)
    }

    @Test("leave out what lies between the samples")
    func gaps() throws {
        let file = SmallFilm.file()
        // The last packet but one becomes shorter: its last bytes belong to no sample.
        let offset = 12 + 4 * 8
        file.sound.table["stsz"].put(be32(5), at: offset)
        let stco = file.sound.table["stco"]
        let last = stco.payload.suffix(4).reduce(0) { $0 << 8 | Int($1) }
        file.sound.table["stsc"].entries([1, 1, 1, 6, 4, 1, 7, 1, 1], perEntry: 3)
        stco.payload += be32(last + 4 * 11)
        stco.put(be32(7), at: 4)
        let plan = PublicMovie(try Movie(file: file.fileBytes), startedAt: Self.startedAt)
        #expect(plan.ranges.count == 2)
        #expect(plan.ranges.map(\.count).reduce(0, +) == file["mdat"].payload.count - 6)
    }

    /// Media time of the edit of pictures, the pause before it, and how long it then is.
    @Test("say how long an edit is whose length the original left open", arguments: [(20, 0, 120), (0, 0, 140), (20, 300, 120)])
    func openEdits(mediaTime: Int, pause: Int, length: UInt64) throws {
        let file = SmallFilm.file()
        file.video.edit((pause > 0 ? [(pause, -1, 1 << 16)] : []) + [(0, mediaTime, 1 << 16)])
        file.sound.edit([(0, 1024, 1 << 16)])
        let copy = try Self.copy(file.fileBytes)
        let movie = try Movie(file: copy)
        #expect(movie.video.edit == MovieEdit(delay: UInt64(pause), duration: length, mediaTime: Int64(mediaTime)))
        // 9,216 of 44,100 ticks a second are 125.4 of 600.
        #expect(movie.sound?.edit == MovieEdit(delay: 0, duration: 126, mediaTime: 1024))
        let boxes = TestBox.file(copy)
        #expect(Array(boxes.video["tkhd"].payload[20..<24]) == be32(pause + Int(length)))
        #expect(Array(boxes.sound["tkhd"].payload[20..<24]) == be32(126))
        #expect(Array(boxes.movie["mvhd"].payload[16..<20]) == be32(max(pause + Int(length), 126)))
    }

    @Test("of a copy are the copy")
    func idempotent() throws {
        let copy = try Self.copy(SmallFilm.bytes(brand: .quickTime))
        #expect(try Self.copy(copy) == copy)
    }
}

extension [UInt8] {
    /// Whether the bytes stand anywhere in it.
    func contains(_ bytes: [UInt8]) -> Bool {
        guard !bytes.isEmpty, count >= bytes.count else { return false }
        return (0...(count - bytes.count)).contains { self[$0..<$0 + bytes.count].elementsEqual(bytes) }
    }

    func inserting(_ bytes: [UInt8], at index: Int) -> [UInt8] { self[..<index] + bytes + self[index...] }
}
