import Foundation
import Movie

/// Measures reading a video's `moov` and computing its chain: 15 s of 30 pictures per second with sound, 100 MB.
struct MovieWork {
    /// Bytes of media in a video of 15 s at 1080p (SPEC §10.12).
    private static let usualBytes = 27_000_000
    private let mediaBytes: Int
    private let head: [UInt8]
    private let movieBox: [UInt8]
    private let pictures = 450
    private let packets = 705

    init(mediaBytes: Int = 100_000_000) throws {
        self.mediaBytes = mediaBytes
        var recording = MovieRecording(brand: .mp4)
        let size = mediaBytes / (pictures + packets)
        let video = (0..<pictures).map {
            MovieRecording.Sample(
                track: .video, size: size, decodeTime: Int64($0 * 20), presentationTime: Int64($0 * 20), duration: 20,
                isSync: $0.isMultiple(of: 30))
        }
        let sound = (0..<packets).map {
            MovieRecording.Sample(
                track: .sound, size: size, decodeTime: Int64($0 * 1024), presentationTime: Int64($0 * 1024), duration: 1024,
                isSync: true)
        }
        // Neighbours of different tracks, so that every sample is a chunk of its own, as far as there are pictures.
        let mixed = zip(video, sound).flatMap { [$0, $1] } + sound.dropFirst(pictures)
        head = recording.head + recording.append(mixed)
        let format = VideoFormat(
            codec: .h264, width: 1920, height: 1440, rotation: .quarter, timescale: 600, configuration: [1, 0x64, 0, 0x28, 0xff, 0xe1, 0])
        movieBox =
            recording.movieBox(
                video: format, sound: SoundFormat(timescale: 48000, channels: 1, sampleRate: 48000, descriptor: [3, 0]),
                createdAt: Date(timeIntervalSince1970: 0)) ?? []
    }

    func print() throws {
        let payload = Array(movieBox.dropFirst(8))
        let range = Int64(mediaBytes)..<Int64(mediaBytes + payload.count)
        Table.row(
            "moov of \(pictures) and \(packets) samples",
            ProcessorTime.measure { (try? Movie(movieBox: payload, at: range, fileLength: range.upperBound)) != nil })
        let chunk = [UInt8](repeating: 0, count: 64 * 1024)
        let samples = (pictures + packets) * (mediaBytes / (pictures + packets))
        Table.row(
            "scanning a video of 100 MB for it",
            ProcessorTime.measure { (try? scan(chunk, samples: samples))?.sound?.samples.count == packets })
        ChainWork(try scan(chunk, samples: samples)).print()
        try CredentialWork.print(video: MovieWork(mediaBytes: Self.usualBytes).file)
    }

    /// The whole file.
    private var file: [UInt8] {
        let media = (pictures + packets) * (mediaBytes / (pictures + packets))
        return head + [UInt8](repeating: 0, count: media) + movieBox
    }

    /// Walks over the file in chunks of 64 KiB, of which the media are zeros.
    private func scan(_ chunk: [UInt8], samples: Int) throws(MovieError) -> Movie {
        var scanner = MovieScanner()
        try scanner.consume(head[...])
        for _ in 0..<samples / chunk.count { try scanner.consume(chunk[...]) }
        try scanner.consume(chunk.prefix(samples % chunk.count))
        try scanner.consume(movieBox[...])
        return try scanner.finish()
    }
}
