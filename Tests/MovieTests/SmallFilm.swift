import TestSupport

@testable import Movie

/// A film of six pictures and ten packets of sound, in a few hundred bytes that no decoder knows.
enum SmallFilm {
    static let configuration: [UInt8] = [1, 0x64, 0, 0x28, 0xff, 0xe1, 0, 0]
    static let descriptor: [UInt8] =
        [3, 25, 0, 1, 0, 4, 17, 0x40, 0x15] + Array(repeating: 0, count: 11) + [5, 2, 0x12, 0x10, 6, 1, 2]
    static let videoFormat = VideoFormat(
        codec: .h264, width: 1920, height: 1080, rotation: .none, timescale: 600, configuration: configuration)
    static let soundFormat = SoundFormat(timescale: 44100, channels: 1, sampleRate: 44100, descriptor: descriptor)

    /// Decoded every 20 ticks and shown in another order: 0, 60, 20, 40, 100, 80.
    static let pictures = [(0, 20, true), (20, 80, false), (40, 40, false), (60, 60, false), (80, 120, true), (100, 100, false)]
        .enumerated()
        .map { index, time in
            MovieRecording.Sample(
                track: .video, size: 30 + index, decodeTime: Int64(time.0), presentationTime: Int64(time.1), duration: 20, isSync: time.2)
        }
    static let packets = (0..<10).map { index in
        MovieRecording.Sample(
            track: .sound, size: 11, decodeTime: Int64(index * 1024), presentationTime: Int64(index * 1024), duration: 1024, isSync: true)
    }

    /// `ftyp`, `mdat` with pictures and packets in turn, `moov`.
    static func bytes(brand: MovieBrand = .mp4, sound: Bool = true) -> [UInt8] {
        var recording = MovieRecording(brand: brand)
        var bytes = recording.head
        var group: [MovieRecording.Sample] = []
        for index in 0..<10 {
            if pictures.indices.contains(index) { group.append(pictures[index]) }
            if sound { group.append(packets[index]) }
        }
        bytes += recording.append(group)
        for (index, sample) in group.enumerated() { bytes += Array(repeating: UInt8(index + 1), count: sample.size) }
        let box = recording.movieBox(video: videoFormat, sound: sound ? soundFormat : nil, soundPriming: sound ? 1024 : 0)
        return bytes + (box ?? [])
    }

    static func file(brand: MovieBrand = .mp4, sound: Bool = true) -> TestBox { TestBox.file(bytes(brand: brand, sound: sound)) }
}

/// The rule that refuses a file; `nil` if it is read.
func refusal(_ bytes: [UInt8], chunk: Int? = nil) -> MovieError.Code? {
    do throws(MovieError) {
        _ = try read(bytes, chunk: chunk ?? max(bytes.count, 1))
        return nil
    } catch {
        return error.code
    }
}

func read(_ bytes: [UInt8], chunk: Int) throws(MovieError) -> Movie {
    var scanner = MovieScanner()
    for start in stride(from: 0, to: bytes.count, by: chunk) { try scanner.consume(bytes[start..<min(start + chunk, bytes.count)]) }
    return try scanner.finish()
}
