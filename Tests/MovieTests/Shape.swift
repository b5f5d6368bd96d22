import Foundation
import TestSupport
import Testing

/// How a file is made.
struct Shape: CustomTestStringConvertible, Sendable {
    let name: String
    var sound = true
    let options: [String]

    var testDescription: String { name }

    private static let h264 = ["-c:v", "libx264", "-preset", "ultrafast", "-bf", "0"]
    private static let hevc = [
        "-c:v", "libx265", "-preset", "ultrafast", "-tag:v", "hvc1", "-x265-params", "log-level=error:pools=1:frame-threads=1",
    ]
    static let reordered = ["-c:v", "libx264", "-preset", "fast", "-bf", "3", "-g", "12"]

    static let all = [
        Shape(name: "h264.mp4", options: h264),
        Shape(name: "h264.mov", options: h264),
        Shape(name: "hevc.mp4", options: hevc),
        Shape(name: "hevc.mov", sound: false, options: hevc),
        Shape(name: "reordered.mp4", options: reordered),
        Shape(name: "reordered.mov", options: reordered),
        Shape(name: "moov-first.mp4", options: h264 + ["-movflags", "+faststart"]),
        Shape(name: "silent.mp4", sound: false, options: h264),
        Shape(name: "negative-offsets.mp4", options: reordered + ["-movflags", "+negative_cts_offsets"]),
        Shape(name: "coloured.mov", options: h264 + ["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"]),
    ]

    /// A film, and what ffmpeg says of it.
    struct Film {
        let bytes: [UInt8]
        let pictures: [ProbedPacket]
        /// Empty without sound.
        let packets: [ProbedPacket]
        let hashes: [String]
    }

    /// Every film is made once.
    private static let films = Dictionary(
        uniqueKeysWithValues: all.map { shape in (shape.name, Result { try MediaTool.inFolder { try shape.make($0) } }) })

    private func make(_ tool: MediaTool) throws -> Film {
        let bytes = try tool.film(name, sound: sound, options)
        return Film(
            bytes: bytes, pictures: try tool.packets(name, "v:0"), packets: sound ? try tool.packets(name, "a:0") : [],
            hashes: try tool.streamHashes(name))
    }

    func film() throws -> Film { try #require(Self.films[name]).get() }

    static func named(_ name: String) throws -> Shape { try #require(all.first { $0.name == name }) }
}
