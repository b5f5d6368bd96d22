import Foundation
import Testing

@testable import Movie

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
}

@Suite("Files made by ffmpeg")
struct RealFileTests {
    @Test("have the samples, places and times that ffprobe finds", arguments: Shape.all)
    func agrees(shape: Shape) throws {
        try MediaTool.inFolder { tool in
            let bytes = try tool.film(shape.name, sound: shape.sound, shape.options)
            let movie = try Movie(file: bytes)
            let pictures = try tool.packets(shape.name, "v:0")
            #expect(movie.video.samples.count == 30)
            expect(movie.video.samples, equal: pictures)
            #expect((movie.sound != nil) == shape.sound)
            #expect(movie.durationMilliseconds == 1000)
            if let sound = movie.sound { expect(sound.samples, equal: try tool.packets(shape.name, "a:0")) }
            let format = movie.video.format
            #expect(format.width == 320 && format.height == 240 && format.rotation == .none)
            #expect(format.codec == (shape.name.hasPrefix("hevc") ? .hevc : .h264))
        }
    }

    private func expect(_ samples: [MovieSample], equal packets: [ProbedPacket]) {
        #expect(samples.map(\.size) == packets.map(\.size))
        #expect(samples.map(\.offset) == packets.map(\.position))
        #expect(samples.map(\.isSync) == packets.map(\.isKey))
        #expect(samples.map(\.time) == packets.map { $0.pts - packets[0].pts })
    }
}
