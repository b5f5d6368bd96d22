import Foundation
import TestSupport
import Testing

@testable import Movie

@Suite("Recordings written from front to back")
struct RecordingTests {
    /// A film of ffmpeg's, written again as a recorder would: samples come one by one and `moov` last.
    struct Recorded {
        var bytes: [UInt8]
        var recording: MovieRecording
        /// Where each group ended.
        var ends: [Int] = []

        init(_ movie: Movie, of source: [UInt8], brand: MovieBrand, group: Int) {
            recording = MovieRecording(brand: brand)
            bytes = recording.head
            let order = MovieLayout.interleaved(movie.video, movie.sound)
            for start in stride(from: 0, to: order.count, by: group) {
                let part = order[start..<min(start + group, order.count)]
                bytes += recording.append(part.map { Self.sample(movie, $0) })
                for index in part {
                    let range = movie.sample(index).range
                    bytes += source[Int(range.lowerBound)..<Int(range.upperBound)]
                }
                ends.append(bytes.count)
            }
        }

        private static func sample(_ movie: Movie, _ index: MovieSampleIndex) -> MovieRecording.Sample {
            let sample = movie.sample(index)
            let offset = index.track == .video ? movie.video.firstOffset : 0
            return MovieRecording.Sample(
                track: index.track, size: sample.size, decodeTime: sample.decodeTime, presentationTime: sample.time + offset,
                duration: sample.duration, isSync: sample.isSync)
        }
    }

    @Test("are read by us and by ffprobe as what was recorded", arguments: zip([MovieBrand.mp4, .quickTime, .mp4], [1, 7, 1000]))
    func recorded(brand: MovieBrand, group: Int) throws {
        try MediaTool.inFolder { tool in
            let film = try Shape.named("reordered.mp4").film()
            let source = film.bytes
            let movie = try Movie(file: source)
            var recorded = Recorded(movie, of: source, brand: brand, group: group)
            let video = VideoFormat(
                codec: .h264, width: 320, height: 240, rotation: .quarter, timescale: movie.video.format.timescale,
                configuration: movie.video.format.configuration)
            let createdAt = Date(timeIntervalSince1970: 1_767_225_600)
            recorded.bytes += try #require(
                recorded.recording.movieBox(
                    video: video, sound: movie.sound?.format, soundPriming: 1024, createdAt: createdAt,
                    quickTimeCreationDate: "2026-01-01T01:00:00+0100", quickTimeModel: "iPhone 15 Pro"))
            let name = brand == .mp4 ? "recorded.mp4" : "recorded.mov"
            try tool.write(recorded.bytes, to: name)
            for (stream, expected) in [("v:0", film.pictures), ("a:0", film.packets)] {
                let found = try tool.packets(name, stream)
                #expect(found.map(\.hash) == expected.map(\.hash))
                #expect(found.map(\.pts) == expected.map(\.pts))
                #expect(found.map(\.isKey) == expected.map(\.isKey))
            }
            let read = try Movie(file: recorded.bytes)
            #expect(read.video.format == video && read.sound?.format == movie.sound?.format)
            #expect(read.video.samples.map(\.time) == movie.video.samples.map(\.time))
            #expect(read.createdAt == createdAt && read.quickTimeModel == "iPhone 15 Pro")
            #expect(read.quickTimeCreationDate == "2026-01-01T01:00:00+0100")
            let tags = try tool.run(
                "ffprobe", ["-show_entries", "format_tags:stream_side_data=rotation", "-of", "default=noprint_wrappers=1", name])
            #expect(String(decoding: tags, as: UTF8.self).contains("rotation=-90"))
        }
    }

    @Test("can be finished after a crash from the samples that are on disk")
    func resumed() throws {
        let whole = SmallFilm.bytes()
        let movie = try Movie(file: whole)
        let recorded = Recorded(movie, of: whole, brand: .mp4, group: 3)
        for (index, end) in recorded.ends.enumerated() {
            let kept = recorded.recording.samples.filter { $0.offset < end }
            let resumed = MovieRecording(resuming: kept, brand: .mp4)
            #expect(resumed.length == end && kept.count == min(3 * index + 3, 16))
            let box = try #require(resumed.movieBox(video: SmallFilm.videoFormat, sound: SmallFilm.soundFormat, soundPriming: 0))
            let read = try? Movie(file: recorded.bytes.prefix(end) + box)
            // Pictures whose predecessors in time are not there yet end elsewhere, but all of them are there.
            #expect(read?.video.samples.count == resumed.count(.video))
            #expect(read?.sound?.samples.count ?? 0 == resumed.count(.sound))
        }
    }

    @Test(
        "hide no more of the sound's beginning than the server takes",
        arguments: zip([UInt32(44_100), 16_000, 8000], [Int64(2112), 2112, 1600]))
    func priming(rate: UInt32, hidden: Int64) throws {
        var recording = MovieRecording(brand: .mp4)
        var bytes = recording.head
        let group = SmallFilm.pictures + SmallFilm.packets
        bytes += recording.append(group) + Array(repeating: 0, count: group.reduce(0) { $0 + $1.size })
        let sound = SoundFormat(timescale: rate, channels: 1, sampleRate: rate, descriptor: SmallFilm.descriptor)
        bytes += try #require(recording.movieBox(video: SmallFilm.videoFormat, sound: sound, soundPriming: 2112))
        let movie = try Movie(file: bytes)
        let edit = try #require(movie.sound?.edit)
        #expect(edit.mediaTime == hidden && edit.delay == 0)
        // The pictures wait for what is not hidden.
        #expect(movie.video.edit?.delay ?? 0 == UInt64((Double(2112 - hidden) * 600 / Double(rate)).rounded()))
        // To the end of the last packet, in 1/600 s.
        #expect(edit.duration == UInt64((Double(10 * 1024 - hidden) * 600 / Double(rate)).rounded(.up)))
    }

    @Test("without a picture have no moov")
    func empty() {
        #expect(MovieRecording(brand: .mp4).movieBox(video: SmallFilm.videoFormat, sound: nil) == nil)
    }

    @Test("delay whichever track begins later", arguments: [0.25, -0.25])
    func delays(delay: Double) throws {
        var recording = MovieRecording(brand: .mp4)
        var bytes = recording.head
        let group = SmallFilm.pictures + SmallFilm.packets
        bytes += recording.append(group) + Array(repeating: 0, count: group.reduce(0) { $0 + $1.size })
        bytes += try #require(recording.movieBox(video: SmallFilm.videoFormat, sound: SmallFilm.soundFormat, soundDelay: delay))
        let movie = try Movie(file: bytes)
        #expect(movie.sound?.edit?.delay ?? 0 == (delay > 0 ? 150 : 0))
        #expect(movie.video.edit?.delay == (delay < 0 ? 150 : 0))
    }
}
