import Foundation
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

    /// Every film is made once.
    private static let films = Dictionary(
        uniqueKeysWithValues: all.map { shape in
            (shape.name, Result { try MediaTool.inFolder { try $0.film(shape.name, sound: shape.sound, shape.options) } })
        })

    /// The film's bytes.
    var film: Result<[UInt8], any Error> { Self.films[name] ?? .failure(CocoaError(.fileNoSuchFile)) }

    static func named(_ name: String) throws -> Shape { try #require(all.first { $0.name == name }) }
}
