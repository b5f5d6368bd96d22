import Foundation
import Testing

@testable import Movie

@Suite("Public copies")
struct PublicMovieTests {
    @Test("have the same streams, and ftyp, moov and mdat alone", arguments: Shape.all)
    func copies(shape: Shape) throws {
        try MediaTool.inFolder { tool in
            let bytes = try tool.film(shape.name, sound: shape.sound, shape.options)
            let movie = try Movie(file: bytes)
            let startedAt = Date(timeIntervalSince1970: 1_767_225_600)
            let plan = PublicMovie(movie, startedAt: startedAt)
            let copy = plan.head + plan.ranges.flatMap { bytes[Int($0.lowerBound)..<Int($0.upperBound)] }
            #expect(plan.length == copy.count)
            try tool.write(copy, to: "copy.mp4")
            #expect(try tool.streamHashes("copy.mp4") == tool.streamHashes(shape.name))
            #expect(try tool.packets("copy.mp4", "v:0").map(\.pts) == tool.packets(shape.name, "v:0").map(\.pts))
            let read = try Movie(file: copy)
            #expect(read.createdAt == startedAt && read.timescale == movie.timescale)
            #expect(read.video.edit == movie.video.edit && read.sound?.edit == movie.sound?.edit)
            #expect(read.video.samples.map(\.time) == movie.video.samples.map(\.time))
        }
    }
}
