import Blocking
import Foundation
import Movie
import Testing
import VideoDecoding

@testable import DepthAnalyzer

@Suite("Pictures that the decoder made")
struct DecodedVideoTests {
    private static let configuration: [UInt8] = [1, 0x64, 0, 0x28, 0xff, 0xe1, 0, 0]

    /// Three pictures of 20 ticks, decoded in the order in which they are shown.
    private static func original(firstOffset: Int64 = 0, edit: MovieEdit? = nil) -> Movie {
        let samples = ([0, 20, 40] as [Int64]).map { time in
            MovieSample(offset: 100 + time, size: 1, decodeTime: time, duration: 20, time: time, isSync: time == 0)
        }
        let format = VideoFormat(
            codec: .hevc, width: 1920, height: 1440, rotation: .quarter, timescale: 600, configuration: [1])
        return Movie(
            majorBrand: "mp42", timescale: 600, video: VideoTrack(format: format, samples: samples, firstOffset: firstOffset, edit: edit),
            sound: nil, createdAt: nil, quickTimeCreationDate: nil, quickTimeModel: nil, moov: 0..<0, durationMilliseconds: 100)
    }

    /// A copy as an encoder makes it that reorders pictures: it decodes two of them before it shows one.
    private static func playback(of movie: Movie) throws -> Movie {
        let decoded = DecodedVideo()
        #expect(decoded.take(.playbackFormat(width: 160, height: 120, configuration: configuration)))
        for time in [0, 20, 40] as [Int64] {
            let sample = DecodedRecord.PlaybackSample(time: time, decodeTime: time - 40, isSync: time == 0, bytes: [1])
            #expect(decoded.take(.playbackSample(sample)))
        }
        let file = try NamelessFile(in: FileManager.default.temporaryDirectory.path)
        var scanner = MovieScanner()
        try scanner.consume(try #require(try decoded.playback(of: movie, sound: file))[...])
        return try scanner.finish()
    }

    @Test("make a copy to play that says how long it is shown, whether the original does or not")
    func edit() throws {
        let shown = MovieEdit(delay: 0, duration: 60, mediaTime: 40)
        #expect(try Self.playback(of: Self.original()).video.edit == shown)
        #expect(try Self.playback(of: Self.original(edit: MovieEdit(delay: 0, duration: 0, mediaTime: 0))).video.edit == shown)
        let delayed = try Self.playback(of: Self.original(edit: MovieEdit(delay: 30, duration: 55, mediaTime: 0)))
        #expect(delayed.video.edit == MovieEdit(delay: 30, duration: 55, mediaTime: 40))
        #expect(delayed.video.samples.map(\.time) == [0, 20, 40] && delayed.video.format.rotation == .quarter)
    }

    /// The composition offset of the original's first picture, the media time of its edit if it has one, and those of the copy.
    @Test(
        "begin with the sound when the original does",
        arguments: [(20, nil, 40, 20), (20, 20, 40, 40), (0, 10, 40, 50), (60, nil, 60, 0)] as [(Int64, Int64?, Int64, Int64)])
    func begins(firstOffset: Int64, mediaTime: Int64?, copyOffset: Int64, copyMediaTime: Int64) throws {
        let edit = mediaTime.map { MovieEdit(delay: 0, duration: 0, mediaTime: $0) }
        let copy = try Self.playback(of: Self.original(firstOffset: firstOffset, edit: edit)).video
        #expect(copy.firstOffset == copyOffset && copy.edit?.mediaTime == copyMediaTime)
        #expect(copy.edit?.duration == UInt64(60 + copyOffset - copyMediaTime))
    }
}
