import Foundation

/// The sample description of pictures (ISO/IEC 14496-12 §12.1.3, ISO/IEC 14496-15 §5.4 and §8.4).
struct VideoEntry {
    let codec: VideoCodec
    let width: UInt16
    let height: UInt16
    let configuration: [UInt8]
    let colour: [UInt8]?

    init(_ entry: Box) throws(MovieError) {
        guard let codec = VideoCodec(rawValue: entry.type.description) else {
            throw MovieError(.videoCodec, "has a codec other than avc1 and hvc1")
        }
        self.codec = codec
        var fields = FieldReader(entry.content, of: codec.code)
        try fields.skip(24)
        width = try fields.u16()
        height = try fields.u16()
        guard width > 0, height > 0, max(width, height) <= 4096, min(width, height) <= 2304 else {
            throw MovieError(.pictureSize, "has pictures of more than 4096 × 2304 pixels, or of none")
        }
        // Resolution, frames in a sample, name of the compressor, depth, colour table.
        try fields.skip(50)
        let extensions = try BoxList(fields.rest, of: codec.code)
        configuration = Array(
            try extensions.configuration(codec.configurationBox, shortest: codec.shortestConfiguration, of: "its decoder's configuration"))
        colour = extensions.boxes.first { $0.type == "colr" }.flatMap { Self.colour($0.content) }
    }

    /// Primaries, transfer function and matrix as numbers. Profiles are left out: they can say anything.
    private static func colour(_ content: ArraySlice<UInt8>) -> [UInt8]? {
        for (kind, size) in [("nclx", 11), ("nclc", 10)] where content.starts(with: Array(kind.utf8)) && content.count >= size {
            return Array(content.prefix(size))
        }
        return nil
    }
}

extension VideoCodec {
    var configurationBox: FourCharacterCode { self == .h264 ? "avcC" : "hvcC" }

    /// The fixed fields (ISO/IEC 14496-15 §5.3.3 and §8.3.3).
    var shortestConfiguration: Int { self == .h264 ? 7 : 23 }
}

/// The sample description of sound: of ISO/IEC 14496-12 §12.2.3, and versions 1 and 2 of QuickTime.
struct SoundEntry {
    let channels: UInt16
    let sampleRate: UInt32
    let descriptor: [UInt8]

    init(_ entry: Box) throws(MovieError) {
        guard entry.type == SoundFormat.code else { throw MovieError(.soundCodec, "has sound other than mp4a") }
        var fields = FieldReader(entry.content, of: entry.type)
        try fields.skip(8)
        let version = try fields.u16()
        try fields.skip(6)
        let channels = try fields.u16()
        try fields.skip(6)
        let rate = try fields.u32() >> 16
        switch version {
        case 0: (self.channels, sampleRate) = (channels, rate)
        case 1:
            try fields.skip(16)
            (self.channels, sampleRate) = (channels, rate)
        case 2:
            try fields.skip(4)
            let rate = Double(bitPattern: try fields.u64())
            let channels = try fields.u32()
            guard rate >= 1, rate <= 1e6, let channels = UInt16(exactly: channels) else { throw fields.error }
            (self.channels, sampleRate) = (channels, UInt32(rate))
            try fields.skip(20)
        default: throw fields.error
        }
        var extensions = try BoxList(fields.rest, of: entry.type)
        if !extensions.contains("esds"), let wave = try extensions.optional("wave") {
            extensions = try BoxList(wave.rest, of: "wave")
        }
        descriptor = Array(try extensions.configuration("esds", shortest: 6, of: "its sound's esds").dropFirst(4))
    }
}

extension BoxList {
    /// The payload of the only box of this type, at least `shortest` bytes.
    fileprivate func configuration(
        _ type: FourCharacterCode, shortest: Int, of name: String
    ) throws(MovieError) -> ArraySlice<UInt8> {
        let found = boxes.filter { $0.type == type }
        guard found.count == 1, let content = found.first?.content, content.count >= shortest else {
            throw MovieError(.decoderConfiguration, "has no usable box with \(name)")
        }
        return content
    }
}
