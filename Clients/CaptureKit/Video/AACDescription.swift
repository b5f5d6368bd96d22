public import Movie

/// What AAC (LC) packets are, for encoders that tell sample rate and channels only.
public enum AACDescription {
    /// How many samples each packet has.
    public static let samplesPerPacket: Int64 = 1024
    /// ISO/IEC 14496-3 §1.6.3.3, table 1.18: the index is the one in AudioSpecificConfig.
    private static let sampleRates: [UInt32] = [
        96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350,
    ]

    /// - Parameters:
    ///   - sampleRate: hertz.
    ///   - channels: 1 or 2.
    ///   - bitRate: per second, of packets on average.
    /// - Returns: `nil` for a sample rate or a number of channels that needs another form.
    public static func format(sampleRate: UInt32, channels: UInt16, bitRate: UInt32) -> SoundFormat? {
        guard let index = sampleRates.firstIndex(of: sampleRate), (1...2).contains(channels) else { return nil }
        // AudioSpecificConfig (ISO/IEC 14496-3 §1.6.2.1): object type 2 in 5 bits, rate in 4, channels in 4, then 1024 samples and no
        // extension.
        let configuration = UInt16(2) << 11 | UInt16(index) << 7 | channels << 3
        let specific = descriptor(0x05, [UInt8(configuration >> 8), UInt8(configuration & 0xFF)])
        // ISO/IEC 14496-1 §7.2.6.6: MPEG-4 audio, audio stream, no upstream; buffer size unknown.
        let decoder = descriptor(0x04, [0x40, 0x15, 0, 0, 0] + bytes(bitRate) + bytes(bitRate) + specific)
        // §7.2.6.5: ES_ID 0 and no flags, as in files; §7.2.6.8: the configuration of MP4.
        let stream = descriptor(0x03, [0, 0, 0] + decoder + descriptor(0x06, [0x02]))
        return SoundFormat(timescale: sampleRate, channels: channels, sampleRate: sampleRate, descriptor: stream)
    }

    /// A descriptor with its tag and length, of under 128 bytes.
    private static func descriptor(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        [tag, UInt8(truncatingIfNeeded: content.count)] + content
    }

    private static func bytes(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian, Array.init) }
}
