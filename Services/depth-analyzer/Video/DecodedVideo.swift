import Blocking
import Depth
import Foundation
import Imaging
import Movie
import Synchronization
import VideoDecoding

/// The pictures that the decoder made of a video: a poster, the brightness of its keyframes, and a copy to play; some
/// megabytes at most.
final class DecodedVideo: Sendable {
    /// The longer side of the playback copy in pixels, at most (SPEC §10.7).
    static let playbackSide = 960
    /// The largest playback copy; a larger one is left out.
    static let maximumPlaybackBytes = 32 << 20

    fileprivate struct State {
        var luma: [Int: LumaImage] = [:]
        var poster: RGBImage?
        var pictures = 0
        var playback: (width: Int, height: Int, configuration: [UInt8])?
        var samples: [DecodedRecord.PlaybackSample] = []
        var playbackBytes = 0
    }

    private let state = Mutex(State())

    var poster: RGBImage? { state.withLock { $0.poster } }
    /// How many pictures were decoded; 0 if the decoder did not say.
    var pictures: Int { state.withLock { $0.pictures } }
    /// The brightness of a keyframe.
    func luma(of sample: Int) -> LumaImage? { state.withLock { $0.luma[sample] } }

    /// Forgets everything: the decoder begins.
    func reset() { state.withLock { $0 = State() } }

    /// - Returns: false if the record is impossible: one keyframe too many, or pixels that do not fit their size.
    func take(_ record: DecodedRecord) -> Bool {
        state.withLock { state in
            switch record {
            case .luma(let sample, let width, let height, let pixels):
                guard state.luma.count < DecodingRequest.maximumSamples,
                    let image = try? LumaImage(width: width, height: height, pixels: pixels)
                else { return false }
                state.luma[sample] = image
            case .poster(let width, let height, let pixels):
                guard let image = try? RGBImage(width: width, height: height, pixels: pixels) else { return false }
                state.poster = image
            case .playbackFormat(0, _, _): state.drop()
            case .playbackFormat(let width, let height, let configuration): state.playback = (width, height, configuration)
            case .playbackSample(let sample):
                guard state.playback != nil else { break }
                state.samples.append(sample)
                state.playbackBytes += sample.bytes.count
                if state.playbackBytes > Self.maximumPlaybackBytes { state.drop() }
            case .end(let pictures): state.pictures = pictures
            }
            return true
        }
    }

    /// The playback copy: the decoded pictures in H.264, and the sound as it is.
    /// - Parameter file: the original, for the packets of sound.
    /// - Returns: `nil` if there is none.
    func playback(of movie: Movie, sound file: NamelessFile) throws -> [UInt8]? {
        let (format, samples) = state.withLock { ($0.playback, $0.samples) }
        guard let format, !samples.isEmpty, let first = samples.first, let width = UInt16(exactly: format.width),
            let height = UInt16(exactly: format.height)
        else { return nil }
        let original = movie.video
        let pictures = samples.enumerated().map { index, sample in
            let next = index + 1 < samples.count ? samples[index + 1].decodeTime : nil
            return MovieSample(
                offset: 0, size: sample.bytes.count, decodeTime: sample.decodeTime - first.decodeTime,
                duration: next.map { UInt32(clamping: $0 - sample.decodeTime) } ?? original.samples.last?.duration ?? 1,
                time: sample.time - first.time, isSync: sample.isSync)
        }
        // As long before or after the first picture as the original begins: else the sound would be early or late.
        let hidden = (original.edit?.mediaTime ?? 0) - original.firstOffset
        let offset = max(first.time - first.decodeTime, -hidden)
        let track = VideoTrack(
            format: VideoFormat(
                codec: .h264, width: width, height: height, rotation: original.format.rotation, timescale: original.format.timescale,
                configuration: format.configuration, colour: original.format.colour),
            samples: pictures, firstOffset: offset,
            edit: MovieEdit(delay: original.edit?.delay ?? 0, duration: original.edit?.duration ?? 0, mediaTime: offset + hidden))
        let sound = movie.sound.flatMap { $0.samples.reduce(0) { $0 + $1.size } <= Self.maximumPlaybackBytes / 4 ? $0 : nil }
        let header = MovieHeader(brand: .mp4, timescale: movie.timescale, video: track, sound: sound, createdAt: movie.createdAt)
        let layout = MovieLayout(header, order: MovieLayout.interleaved(track, sound))
        var bytes = layout.head
        bytes.reserveCapacity(Int(layout.length))
        for place in layout.order {
            switch place.track {
            case .video: bytes += samples[place.index].bytes
            case .sound:
                guard let packet = sound?.samples[place.index] else { return nil }
                bytes += try file.bytes(packet.range)
            }
        }
        return bytes
    }
}

extension DecodedVideo.State {
    fileprivate mutating func drop() {
        playback = nil
        samples = []
    }
}
