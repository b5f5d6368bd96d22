import Foundation
import TestSupport
import Testing

@testable import Movie

/// What libavformat repairs or hides without a word is refused (guides: ffprobe answers each of these with exit status 0, but the last).
@Suite("Changed files of ffmpeg")
struct TamperedFileTests {
    struct Change: Sendable, CustomTestStringConvertible {
        let name: String
        let code: MovieError.Code
        let apply: @Sendable (TestBox) -> Void

        var testDescription: String { name }
    }

    static let film: Result<[UInt8], any Error> = Result {
        try Shape.named("reordered.mp4").film().bytes
    }

    static let changes = [
        Change(name: "a chunk offset past the end", code: .sampleOutsideMediaData) { $0.sound.table["stco"].put(be32(1 << 28), at: 12) },
        Change(name: "an edit list that starts at 5 s", code: .editList) { $0.sound["edts/elst"].put(be32(220_500), at: 12) },
        Change(name: "an edit list that ends after half of it", code: .editList) { $0.video["edts/elst"].put(be32(500), at: 8) },
        Change(name: "an edit rate of 2", code: .editList) { $0.video["edts/elst"].put(be32(2 << 16), at: 16) },
        Change(name: "durations too few", code: .tablesDisagree) { $0.video.table["stts"].put(be32(29), at: 8) },
        Change(name: "a sample inside moov", code: .sampleOutsideMediaData) {
            $0.video.table["stco"].put(be32($0.fileBytes.count - 100), at: 8)
        },
        Change(name: "two chunks at one place", code: .samplesOverlap) {
            $0.sound.table["stco"].put($0.sound.table["stco"].payload[8..<12] + [], at: 12)
        },
        Change(name: "400 sizes", code: .tableLength) { $0.video.table["stsz"].put(be32(400), at: 8) },
        Change(name: "2³¹ sizes", code: .tableLength) { $0.video.table["stsz"].put(be32(1 << 31), at: 8) },
    ]

    @Test("are refused", arguments: changes)
    func refuses(change: Change) throws {
        let file = TestBox.file(try Self.film.get())
        #expect(refusal(file.fileBytes) == nil)
        change.apply(file)
        #expect(refusal(file.fileBytes) == change.code)
    }

    @Test("are refused when they are cut to 60 %, before moov and behind it")
    func cut() throws {
        let bytes = try Self.film.get()
        #expect(refusal(Array(bytes.prefix(bytes.count * 6 / 10))) == .truncated)
        let copy = try PublicMovieTests.copy(bytes)
        #expect(refusal(Array(copy.prefix(copy.count * 6 / 10))) == .truncated)
        #expect(refusal(Array(copy.prefix(copy.count - 1))) == .truncated)
    }

    @Test("are refused when they are fragmented")
    func fragmented() throws {
        try MediaTool.inFolder { tool in
            let bytes = try tool.film("fragmented.mp4", Shape.reordered + ["-movflags", "+frag_keyframe+empty_moov"])
            #expect(refusal(bytes) == .fragmented)
        }
    }

    @Test("are refused when they have a codec that captures do not have")
    func codec() throws {
        try MediaTool.inFolder { tool in
            let film = try tool.film("film.mp4", ["-c:v", "mpeg4"])
            #expect(refusal(film) == .videoCodec)
            let hevc = ["-c:v", "libx265", "-preset", "ultrafast", "-tag:v", "hev1", "-x265-params", "log-level=error"]
            let other = try tool.film("film.mp4", sound: false, hevc)
            #expect(refusal(other) == .videoCodec)
        }
    }

    @Test("with 64-bit offsets are read as ffprobe reads them")
    func longOffsets() throws {
        try MediaTool.inFolder { tool in
            let file = TestBox.file(try Self.film.get())
            for track in file.tracks {
                let table = track.table["stco"]
                let offsets = stride(from: 8, to: table.payload.count, by: 4).flatMap { [0, 0, 0, 0] + table.payload[$0..<$0 + 4] }
                (table.type, table.payload) = ("co64", table.payload.prefix(8) + offsets)
            }
            try tool.write(file.fileBytes, to: "long.mp4")
            let movie = try Movie(file: file.fileBytes)
            for (samples, stream) in [(movie.video.samples, "v:0"), (movie.sound?.samples ?? [], "a:0")] {
                #expect(try tool.packets("long.mp4", stream).map(\.position) == samples.map(\.offset))
            }
        }
    }

    @Test("turned by ffmpeg are turned as ffprobe says, which counts the other way round", arguments: [90, 180, 270])
    func rotated(degrees: Int) throws {
        try MediaTool.inFolder { tool in
            try tool.write(try Self.film.get(), to: "film.mp4")
            try tool.run("ffmpeg", ["-i", "film.mp4", "-c", "copy", "-metadata:s:v", "rotate=\(degrees)", "turned.mp4"])
            let answer = try tool.run(
                "ffprobe", ["-show_entries", "stream_side_data=rotation", "-of", "default=noprint_wrappers=1:nokey=1", "turned.mp4"])
            let text = String(decoding: answer, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            let clockwise = (360 - (try #require(Int(text)))) % 360
            #expect(Int(try Movie(file: tool.bytes("turned.mp4")).video.format.rotation.rawValue) == clockwise)
            #expect([degrees, 360 - degrees].contains(clockwise))
        }
    }
}
