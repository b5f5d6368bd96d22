/// One `trak` box (ISO/IEC 14496-12 §8.3), read as far as its kind needs.
struct TrackReader {
    enum Kind {
        case video
        case sound
    }

    private static let mostVideoSamples = 1000
    private static let mostSoundSamples = 4096

    /// `nil` for a track that is ignored.
    let kind: Kind?
    private let track: BoxList
    private let media: BoxList

    init(_ content: ArraySlice<UInt8>) throws(MovieError) {
        track = try BoxList(content, of: "trak")
        media = try track.children(of: "mdia")
        var handler = try media.only("hdlr")
        _ = try handler.version(newest: 0)
        try handler.skip(4)
        switch try handler.code() {
        case "vide": kind = .video
        case "soun": kind = .sound
        default: kind = nil
        }
    }

    func video(movieTimescale: UInt32) throws(MovieError) -> VideoTrack {
        let rotation = try rotation()
        let timescale = try timescale()
        let table = try sampleTable()
        let entry = try VideoEntry(sampleEntry(table))
        let samples = try SampleTable(table, limit: Self.mostVideoSamples, of: "pictures")
        try samples.checkOrder(timescale: timescale)
        let track = VideoTrack(
            format: VideoFormat(
                codec: entry.codec, width: entry.width, height: entry.height, rotation: rotation, timescale: timescale,
                configuration: entry.configuration, colour: entry.colour),
            samples: samples.samples, firstOffset: samples.firstOffset, edit: try edit())
        try EditRule(samples: samples, timescale: timescale, movieTimescale: movieTimescale).check(track.edit, hidesAtMost: .halfAFrame)
        return track
    }

    func sound(movieTimescale: UInt32) throws(MovieError) -> SoundTrack {
        let timescale = try timescale()
        let table = try sampleTable()
        let entry = try SoundEntry(sampleEntry(table))
        let samples = try SampleTable(table, limit: Self.mostSoundSamples, of: "packets of sound")
        try samples.checkOrder(timescale: timescale)
        let track = SoundTrack(
            format: SoundFormat(
                timescale: timescale, channels: entry.channels, sampleRate: entry.sampleRate, descriptor: entry.descriptor),
            samples: samples.samples, firstOffset: samples.firstOffset, edit: try edit())
        try EditRule(samples: samples, timescale: timescale, movieTimescale: movieTimescale).check(
            track.edit, hidesAtMost: .aFifthOfASecond)
        return track
    }

    private func rotation() throws(MovieError) -> VideoRotation {
        var fields = try track.only("tkhd")
        let version = try fields.version(newest: 1)
        // Times, track number, duration; reserved, layer, group, volume.
        try fields.skip((version == 1 ? 32 : 20) + 16)
        guard let rotation = try VideoRotation(matrix: &fields) else {
            throw MovieError(.matrix, "is mirrored, scaled or turned by other than a quarter")
        }
        return rotation
    }

    private func timescale() throws(MovieError) -> UInt32 {
        var fields = try media.only("mdhd")
        let version = try fields.version(newest: 1)
        try fields.skip(version == 1 ? 16 : 8)
        let timescale = try fields.u32()
        guard timescale > 0 else { throw MovieError(.timescale, "has a timescale of 0") }
        return timescale
    }

    private func sampleTable() throws(MovieError) -> BoxList {
        let information = try media.children(of: "minf")
        return try information.children(of: "stbl")
    }

    /// The only sample entry, whose samples must be in this file.
    private func sampleEntry(_ table: BoxList) throws(MovieError) -> Box {
        var fields = try table.only("stsd")
        _ = try fields.version(newest: 0)
        let count = try fields.u32()
        let entries = try BoxList(fields.rest, of: "stsd").boxes
        guard count == 1, entries.count == 1, let entry = entries.first else {
            throw MovieError(.sampleDescriptions, "does not have exactly one sample description for each track")
        }
        var head = FieldReader(entry.content, of: "stsd")
        try head.skip(6)
        try checkDataReference(Int(try head.u16()))
        return entry
    }

    /// Entry `index`, counted from 1, of `dref` must say that the samples are in this file (ISO/IEC 14496-12 §8.7.2); Apple's old
    /// writers leave `dinf` out.
    private func checkDataReference(_ index: Int) throws(MovieError) {
        let information = try media.children(of: "minf")
        guard let content = try information.optional("dinf") else { return }
        guard var fields = try BoxList(content.rest, of: "dinf").optional("dref") else { return }
        _ = try fields.version(newest: 0)
        _ = try fields.u32()
        let references = try BoxList(fields.rest, of: "dref").boxes
        guard index >= 1, index <= references.count else { throw MovieError(.externalData, "names no file for its samples") }
        var reference = FieldReader(references[index - 1].content, of: "dref")
        guard try reference.u32() & 1 == 1 else { throw MovieError(.externalData, "has samples in another file") }
    }

    private func edit() throws(MovieError) -> MovieEdit? {
        guard let content = try track.optional("edts"), let list = try BoxList(content.rest, of: "edts").optional("elst") else {
            return nil
        }
        return try MovieEdit(list)
    }
}
