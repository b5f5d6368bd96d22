import TestSupport
import Testing

@testable import Movie

@Suite("Tracks of a file")
struct TrackRefusalTests {
    static let lies = [
        Lie("no track", .noVideoTrack) { $0.movie.remove("trak") },
        Lie("sound alone", .noVideoTrack) { $0.movie.children.remove(at: 1) },
        Lie("two video tracks", .twoVideoTracks) { $0.movie.children.append($0.video) },
        Lie("two sound tracks", .twoSoundTracks) { $0.movie.children.append($0.sound) },
        Lie("AV1", .videoCodec) { $0.video.entry.type = "av01" },
        Lie("parameter sets inside the samples", .videoCodec) { $0.video.entry.type = "avc3" },
        Lie("AC-3", .soundCodec) { $0.sound.entry.type = "ac-3" },
        Lie("no sample description", .sampleDescriptions) {
            $0.video.table["stsd"].children = []
            $0.video.table["stsd"].payload = be32(0) + be32(0)
        },
        Lie("two sample descriptions", .sampleDescriptions) {
            $0.video.table["stsd"].children.append($0.video.entry.copy)
            $0.video.table["stsd"].payload = be32(0) + be32(2)
        },
        Lie("one sample description that claims to be two", .sampleDescriptions) { $0.video.table["stsd"].payload = be32(0) + be32(2) },
        Lie("2³¹ sample descriptions", .sampleDescriptions) { $0.video.table["stsd"].payload = be32(0) + be32(1 << 31) },
        Lie("samples of a second description", .sampleDescriptions) { $0.video.table["stsc"].put(be32(2), at: 16) },
        Lie("a sample description of a later version", .malformedBox) { $0.video.table["stsd"].put([1], at: 0) },
        Lie("4097 pixels wide", .pictureSize) { $0.video.entry.put(be16(4097), at: 24) },
        Lie("4096 × 2305", .pictureSize) { $0.video.entry.put(be16(4096) + be16(2305), at: 24) },
        Lie("no pixels", .pictureSize) { $0.video.entry.put(be16(0), at: 26) },
        Lie("no avcC", .decoderConfiguration) { $0.video.entry.remove("avcC") },
        Lie("two avcC", .decoderConfiguration) { $0.video.entry.children.append($0.video.entry["avcC"]) },
        Lie("avcC of 6 bytes", .decoderConfiguration) { $0.video.entry["avcC"].payload = [1, 2, 3, 4, 5, 6] },
        Lie("hvc1 with avcC", .decoderConfiguration) { $0.video.entry.type = "hvc1" },
        Lie("no esds", .decoderConfiguration) { $0.sound.entry.remove("esds") },
        Lie("esds without content", .decoderConfiguration) { $0.sound.entry["esds"].payload = be32(0) },
        Lie("a sound description of version 3", .malformedBox) { $0.sound.entry.put(be16(3), at: 8) },
        Lie("samples in another file", .externalData) { $0.video["mdia/minf/dinf/dref"].children[0].put(be32(0), at: 0) },
        Lie("samples in no file", .externalData) { $0.video.entry.put(be16(2), at: 6) },
        Lie("mirrored", .matrix) { $0.video["tkhd"].put(be32(-1 << 16), at: 40) },
        Lie("upside down, mirrored", .matrix) { $0.video["tkhd"].put(be32(-1 << 16), at: 56) },
        Lie("scaled", .matrix) { $0.video["tkhd"].put(be32(1 << 17), at: 40) },
        Lie("turned by 45°", .matrix) {
            $0.video["tkhd"].put(be32(46341) + be32(46341) + be32(0) + be32(-46341) + be32(46341), at: 40)
        },
        Lie("in perspective", .matrix) { $0.video["tkhd"].put(be32(1), at: 48) },
        Lie("mirrored as a whole", .matrix) { $0.movie["mvhd"].put(be32(-1 << 16), at: 36) },
        Lie("a timescale of 0 of the movie", .timescale) { $0.movie["mvhd"].put(be32(0), at: 12) },
        Lie("a timescale of 0 of the pictures", .timescale) { $0.video["mdia/mdhd"].put(be32(0), at: 12) },
        Lie("a movie header of version 2", .malformedBox) { $0.movie["mvhd"].put([2], at: 0) },
        Lie("a movie header that ends early", .malformedBox) { $0.movie["mvhd"].payload.removeLast(30) },
    ]

    @Test("are refused if they are not as a capture's are", arguments: lies)
    func refuses(lie: Lie) { #expect(refusal(lie.bytes) == lie.code) }

    static let needed = ["tkhd", "mdia", "mdia/mdhd", "mdia/hdlr", "mdia/minf", "mdia/minf/stbl"]
    static let tables = ["stsd", "stsz", "stsc", "stco", "stts"].map { "mdia/minf/stbl/" + $0 }

    @Test("need each of their boxes, once", arguments: needed + tables)
    func boxes(path: String) {
        let parts = path.split(separator: "/").map(String.init)
        let parent = parts.dropLast().joined(separator: "/")
        let without = SmallFilm.file()
        without.video[parent].remove(parts[parts.count - 1])
        #expect(refusal(without.fileBytes) == .boxMissing)
        let twice = SmallFilm.file()
        twice.video[parent].children.append(twice.video[path].copy)
        #expect(refusal(twice.fileBytes) == .boxTwice)
    }

    @Test("may have their other tables once", arguments: ["ctts", "stss"])
    func optional(table: String) {
        let file = SmallFilm.file()
        file.video.table.children.append(file.video.table[table].copy)
        #expect(refusal(file.fileBytes) == .boxTwice)
    }

    @Test("may be 4096 × 2304, in either orientation", arguments: [(4096, 2304), (2304, 4096), (1, 1)])
    func size(width: Int, height: Int) throws {
        let file = SmallFilm.file()
        file.video.entry.put(be16(width) + be16(height), at: 24)
        let format = try Movie(file: file.fileBytes).video.format
        #expect(Int(format.width) == width && Int(format.height) == height)
    }

    @Test("are turned by quarters, wherever the picture is moved to", arguments: VideoRotation.allCases)
    func rotation(rotation: VideoRotation) throws {
        let numbers: [VideoRotation: [Int]] = [
            .none: [1, 0, 0, 1], .quarter: [0, 1, -1, 0], .half: [-1, 0, 0, -1], .threeQuarters: [0, -1, 1, 0],
        ]
        let turn = try #require(numbers[rotation]).map { be32($0 << 16) }
        let file = SmallFilm.file()
        file.video["tkhd"].put(turn[0] + turn[1] + be32(0) + turn[2] + turn[3] + be32(0) + be32(1080 << 16) + be32(-5), at: 40)
        #expect(try Movie(file: file.fileBytes).video.format.rotation == rotation)
    }

    @Test("of other kinds are ignored, whatever they hold")
    func others() throws {
        let file = SmallFilm.file()
        let places = file.video.copy
        places["mdia/hdlr"].put(Array("meta".utf8), at: 8)
        places.table["stsz"].payload = [1]
        places["mdia/minf"].remove("dinf")
        file.movie.children.insert(places, at: 1)
        #expect(try Movie(file: file.fileBytes).video == Movie(file: SmallFilm.bytes()).video)
    }

    @Test("may be without sound")
    func silent() throws {
        let movie = try Movie(file: SmallFilm.bytes(sound: false))
        #expect(movie.sound == nil && movie.video.samples.count == 6)
    }

    @Test("have colours as numbers; profiles, which may say anything, are not taken")
    func colours() throws {
        let numbers = Array("nclx".utf8) + [0, 1, 0, 1, 0, 1, 0x80]
        for (payload, expected) in [(numbers, numbers), (numbers + [9], numbers), (Array("prof".utf8) + numbers, nil), ([1], nil)] {
            let file = SmallFilm.file()
            file.video.entry.children.append(TestBox("colr", payload))
            #expect(try Movie(file: file.fileBytes).video.format.colour == expected)
        }
    }
}
