import Crypto
import Foundation
import Testing

@testable import Movie

@Suite("Files made by ffmpeg")
struct RealFileTests {
    @Test("have the samples, places and times that ffprobe finds", arguments: Shape.all)
    func agrees(shape: Shape) throws {
        let film = try shape.film()
        let movie = try Movie(file: film.bytes)
        #expect(movie.video.samples.count == 30)
        expect(movie.video.samples, of: film.bytes, equal: film.pictures)
        expect(movie.sound?.samples ?? [], of: film.bytes, equal: film.packets)
        #expect((movie.sound != nil) == shape.sound)
        #expect(movie.durationMilliseconds == 1000)
        let format = movie.video.format
        #expect(format.width == 320 && format.height == 240 && format.rotation == .none)
        #expect(format.codec == (shape.name.hasPrefix("hevc") ? .hevc : .h264))
        #expect(format.codecString?.hasPrefix(format.codec == .h264 ? "avc1." : "hvc1.1.6.L") == true)
        #expect(movie.sound.map { $0.format.codecString == "mp4a.40.2" && $0.format.sampleRate == 44100 } ?? true)
        #expect((format.colour != nil) == (shape.name == "coloured.mov"))
    }

    private func expect(_ samples: [MovieSample], of file: [UInt8], equal packets: [ProbedPacket]) {
        let hashes = samples.map { sample in
            SHA256.hash(data: file[Int(sample.range.lowerBound)..<Int(sample.range.upperBound)]).map { String(format: "%02x", $0) }.joined()
        }
        #expect(hashes == packets.map(\.hash))
        #expect(samples.map(\.size) == packets.map(\.size))
        #expect(samples.map(\.offset) == packets.map(\.position))
        #expect(samples.map(\.isSync) == packets.map(\.isKey))
        #expect(samples.map(\.time) == packets.map { $0.pts - packets[0].pts })
    }
}
