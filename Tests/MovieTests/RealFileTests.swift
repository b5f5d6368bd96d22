import Foundation
import Testing

@testable import Movie

@Suite("Files made by ffmpeg")
struct RealFileTests {
    @Test("have the samples, places and times that ffprobe finds", arguments: Shape.all)
    func agrees(shape: Shape) throws {
        try MediaTool.inFolder { tool in
            let bytes = try shape.film.get()
            try tool.write(bytes, to: shape.name)
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
