import Models
import TestSupport
import Testing

/// Signed copies of films that ffmpeg made, as ffmpeg sees them (SPEC §10.7).
@Suite("Streams of signed videos")
struct SignedStreamTests {
    /// A container with a codec in it, both with sound.
    struct Film: Sendable, CustomTestStringConvertible {
        let name: String
        let options: [String]
        var testDescription: String { name }

        static let all = [
            Film(name: "h264.mp4", options: ["-c:v", "libx264", "-preset", "fast", "-bf", "3", "-g", "12"]),
            Film(
                name: "hevc.mov",
                options: [
                    "-c:v", "libx265", "-preset", "ultrafast", "-tag:v", "hvc1", "-x265-params",
                    "log-level=error:pools=1:frame-threads=1",
                ]),
        ]
    }

    @Test("are the original's by hash, picture and sound, and every picture decodes to the same pixels", arguments: Film.all)
    func streams(film: Film) throws {
        try MediaTool.inFolder { tool in
            let original = try tool.film(film.name, film.options)
            let fixture = try Fixture()
            let copy = try fixture.sign(video: original).copy
            #expect(copy.offset(ofLast: "app.rial.hash_chain") != nil)
            #expect(try fixture.read(copy, mediaType: "video/mp4").state == .trusted)
            try tool.write(copy, to: "signed.mp4")
            let hashes = try tool.streamHashes(film.name)
            #expect(hashes.count == 2)
            #expect(try tool.streamHashes("signed.mp4") == hashes)
            func pictures(_ name: String) throws -> [String] {
                let text = String(decoding: try tool.run("ffmpeg", ["-i", name, "-map", "0:v", "-f", "framemd5", "-"]), as: UTF8.self)
                // The last column; times may count other ticks.
                return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
                    line.split(separator: ",").last.map { $0.filter { $0 != " " } } ?? ""
                }
            }
            let decoded = try pictures(film.name)
            #expect(decoded.count == 30 && Set(decoded).count == 30)
            #expect(try pictures("signed.mp4") == decoded)
        }
    }
}
