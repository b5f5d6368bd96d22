public import Foundation

extension MovieRecording {
    /// Ticks per second of the movie, in which edits count.
    public static let movieTimescale: UInt32 = 600

    /// The `moov` box that ends the file.
    ///
    /// Where pictures are shown in another order than decoded, an edit list begins at the first one. The track that begins later is delayed
    /// by an empty edit; `soundPriming` is what the encoder put before the sound.
    /// - Parameters:
    ///   - sound: `nil` without sound; packets are then left out.
    ///   - soundPriming: ticks of the sound's timescale. No more of it is hidden than the server takes: of AAC's usual 2112 ticks at 8 kHz
    ///     0.06 s are heard, as silence, before the sound and in its time.
    ///   - soundDelay: how much later than the first picture the sound begins, in seconds; negative if it begins before.
    /// - Returns: `nil` without a picture.
    public func movieBox(
        video: VideoFormat, sound: SoundFormat?, soundPriming: Int64 = 0, soundDelay: Double = 0, createdAt: Date? = nil,
        quickTimeCreationDate: String? = nil, quickTimeModel: String? = nil
    ) -> [UInt8]? {
        let (pictures, firstOffset) = movieSamples(.video)
        guard !pictures.isEmpty else { return nil }
        let (packets, soundOffset) = movieSamples(.sound)
        let hideable = soundOffset + EditRule.hideableSound(timescale: Int64(sound?.timescale ?? 0))
        let soundStart = min(soundPriming, hideable)
        let delay = soundDelay - Double(soundPriming - soundStart) / Double(sound?.timescale ?? Self.movieTimescale)
        let header = MovieHeader(
            brand: brand, timescale: Self.movieTimescale,
            video: VideoTrack(
                format: video, samples: pictures, firstOffset: firstOffset,
                edit: Self.edit(
                    delay: -delay, mediaTime: firstOffset, ticks: pictures.shownEnd, timescale: video.timescale)),
            sound: sound.flatMap { format in
                packets.isEmpty
                    ? nil
                    : SoundTrack(
                        format: format, samples: packets, firstOffset: soundOffset,
                        edit: Self.edit(
                            delay: delay, mediaTime: soundStart, ticks: packets.shownEnd + soundOffset - soundStart,
                            timescale: format.timescale))
            },
            createdAt: createdAt, quickTimeCreationDate: quickTimeCreationDate, quickTimeModel: quickTimeModel)
        return header.movieBox()
    }

    /// The samples of a track with times relative to the first one, and the composition offset of that one.
    func movieSamples(_ track: MovieSampleIndex.Track) -> (samples: [MovieSample], firstOffset: Int64) {
        let placed = samples.filter { $0.sample.track == track }
        guard let first = placed.first?.sample else { return ([], 0) }
        let samples = placed.enumerated().map { index, current in
            let next = index + 1 < placed.count ? placed[index + 1].sample.decodeTime : nil
            return MovieSample(
                offset: current.offset, size: current.sample.size, decodeTime: current.sample.decodeTime - first.decodeTime,
                duration: next.map { UInt32(clamping: $0 - current.sample.decodeTime) } ?? current.sample.duration,
                time: current.sample.presentationTime - first.presentationTime, isSync: current.sample.isSync)
        }
        return (samples, first.presentationTime - first.decodeTime)
    }

    /// `nil` if everything is shown from the track's time 0 on.
    private static func edit(delay: Double, mediaTime: Int64, ticks: Int64, timescale: UInt32) -> MovieEdit? {
        let delay = UInt64(clamping: Int64((max(min(delay, 3600), 0) * Double(movieTimescale)).rounded()))
        guard delay > 0 || mediaTime != 0 else { return nil }
        let duration = (Double(ticks) * Double(movieTimescale) / Double(max(timescale, 1))).rounded(.up)
        return MovieEdit(delay: delay, duration: UInt64(exactly: max(duration, 0)) ?? 0, mediaTime: mediaTime)
    }
}
