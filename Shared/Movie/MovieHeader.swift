public import Foundation

/// How a file calls itself in `ftyp`.
public enum MovieBrand: Sendable {
    /// MP4 (ISO/IEC 14496-14).
    case mp4
    /// QuickTime.
    case quickTime

    /// The whole `ftyp` box.
    public var fileType: [UInt8] {
        var writer = BoxWriter()
        writer.box("ftyp") { ftyp in
            let brands: [FourCharacterCode]
            switch self {
            case .mp4:
                ftyp.code("mp42")
                ftyp.u32(0)
                brands = ["mp42", "isom"]
            case .quickTime:
                ftyp.code("qt  ")
                ftyp.u32(0)
                brands = ["qt  "]
            }
            for brand in brands { ftyp.code(brand) }
        }
        return writer.bytes
    }
}

/// What `moov` says: the counterpart of ``Movie`` for writing.
///
/// Offsets are those of the file that is being written. Numbers that do not fit their fields are clamped; samples that ``Movie`` has read
/// always fit.
public struct MovieHeader: Sendable, Equatable {
    public var brand: MovieBrand
    /// The timescale of `mvhd`, at least 1; the times of edits are in its ticks.
    public var timescale: UInt32
    public var video: VideoTrack
    public var sound: SoundTrack?
    /// Creation and modification time of the movie and its tracks, in whole seconds; `nil` writes 0.
    public var createdAt: Date?
    /// Written as `com.apple.quicktime.creationdate`.
    public var quickTimeCreationDate: String?
    /// Written as `com.apple.quicktime.model`.
    public var quickTimeModel: String?

    public init(
        brand: MovieBrand, timescale: UInt32, video: VideoTrack, sound: SoundTrack?, createdAt: Date? = nil,
        quickTimeCreationDate: String? = nil, quickTimeModel: String? = nil
    ) {
        self.brand = brand
        self.timescale = timescale
        self.video = video
        self.sound = sound
        self.createdAt = createdAt
        self.quickTimeCreationDate = quickTimeCreationDate
        self.quickTimeModel = quickTimeModel
    }

    /// The whole `moov` box. Offsets have 32 bits (`stco`) in a track where they fit, else 64 (`co64`).
    public func movieBox() -> [UInt8] {
        let seconds = createdAt?.secondsSince1904 ?? 0
        let video = VideoTrack(
            format: video.format, samples: video.samples, firstOffset: video.firstOffset,
            edit: bounded(video.edit, video.samples, firstOffset: video.firstOffset, timescale: video.format.timescale))
        let sound = sound.map { sound in
            SoundTrack(
                format: sound.format, samples: sound.samples, firstOffset: sound.firstOffset,
                edit: bounded(sound.edit, sound.samples, firstOffset: sound.firstOffset, timescale: sound.format.timescale))
        }
        let videoDuration = shownDuration(video.edit, samples: video.samples, timescale: video.format.timescale)
        let soundDuration = sound.map { shownDuration($0.edit, samples: $0.samples, timescale: $0.format.timescale) } ?? 0
        var writer = BoxWriter()
        writer.box("moov") { moov in
            let duration = max(videoDuration, soundDuration)
            let version: UInt8 = max(seconds, duration) > UInt64(UInt32.max) ? 1 : 0
            moov.fullBox("mvhd", version: version) { mvhd in
                mvhd.wide(seconds, version: version)
                mvhd.wide(seconds, version: version)
                mvhd.u32(timescale)
                mvhd.wide(duration, version: version)
                mvhd.u32(1 << 16)
                mvhd.u16(1 << 8)
                mvhd.zeros(10)
                mvhd.matrix(.none, width: 0, height: 0)
                mvhd.zeros(24)
                mvhd.u32(sound == nil ? 2 : 3)
            }
            TrackWriter(number: 1, seconds: seconds, shownDuration: videoDuration, brand: brand).write(video, into: &moov)
            if let sound { TrackWriter(number: 2, seconds: seconds, shownDuration: soundDuration, brand: brand).write(sound, into: &moov) }
            writeMetadata(into: &moov)
        }
        return writer.bytes
    }

    /// An edit of all there is, with its length: players take a length of 0 for all only in files with fragments, and here for nothing.
    private func bounded(_ edit: MovieEdit?, _ samples: [MovieSample], firstOffset: Int64, timescale: UInt32) -> MovieEdit? {
        guard let edit, edit.duration == 0 else { return edit }
        let shown = Int128(samples.shownEnd) + Int128(firstOffset) - Int128(edit.mediaTime)
        return MovieEdit(delay: edit.delay, duration: movieTicks(shown, timescale: timescale), mediaTime: edit.mediaTime)
    }

    /// In ticks of the movie: of the edits, or of all there is.
    private func shownDuration(_ edit: MovieEdit?, samples: [MovieSample], timescale: UInt32) -> UInt64 {
        if let edit { return edit.delay &+ edit.duration }
        return movieTicks(samples.reduce(0) { $0 + Int128($1.duration) }, timescale: timescale)
    }

    /// Ticks of a track in ticks of the movie, rounded up.
    private func movieTicks(_ ticks: Int128, timescale: UInt32) -> UInt64 {
        let scale = Int128(max(timescale, 1))
        return UInt64(clamping: (max(ticks, 0) * Int128(self.timescale) + scale - 1) / scale)
    }

    /// `meta` with a list of keys (QuickTime File Format, "Metadata"); in MP4 with version and flags (ISO/IEC 14496-12 §8.11).
    private func writeMetadata(into moov: inout BoxWriter) {
        let values = [(QuickTimeMetadata.creationDateKey, quickTimeCreationDate), (QuickTimeMetadata.modelKey, quickTimeModel)]
            .compactMap { key, value in value.map { (key, $0) } }
        guard !values.isEmpty else { return }
        moov.box("meta") { meta in
            if brand == .mp4 { meta.u32(0) }
            meta.handler("mdta", name: "")
            meta.fullBox("keys") { keys in
                keys.u32(UInt32(values.count))
                for (key, _) in values { keys.box("mdta") { $0.raw(key.utf8) } }
            }
            meta.box("ilst") { ilst in
                for (index, value) in values.enumerated() {
                    ilst.box(FourCharacterCode(UInt32(index + 1))) { item in
                        item.box("data") { data in
                            data.u32(1)
                            data.u32(0)
                            data.raw(value.1.utf8)
                        }
                    }
                }
            }
        }
    }
}

extension BoxWriter {
    /// A `hdlr` box; `name` ends in a zero byte.
    mutating func handler(_ type: FourCharacterCode, name: String, component: UInt32 = 0) {
        fullBox("hdlr") { hdlr in
            hdlr.u32(component)
            hdlr.code(type)
            hdlr.zeros(12)
            hdlr.raw(name.utf8)
            hdlr.u8(0)
        }
    }
}
