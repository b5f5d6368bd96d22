extension VideoEntry {
    /// The sample entry, rebuilt from what is known: no name of a compressor, no boxes but the configuration and the colours.
    static func write(_ format: VideoFormat, brand: MovieBrand, into stsd: inout BoxWriter) {
        stsd.box(format.codec.code) { entry in
            entry.zeros(6)
            entry.u16(1)
            entry.zeros(16)
            entry.u16(format.width)
            entry.u16(format.height)
            // 72 dpi.
            entry.u32(0x48_0000)
            entry.u32(0x48_0000)
            entry.u32(0)
            entry.u16(1)
            entry.zeros(32)
            entry.u16(24)
            entry.u16(0xffff)
            entry.box(format.codec.configurationBox) { $0.raw(format.configuration) }
            if let colour = format.colour { entry.box("colr") { $0.raw(Self.colour(colour, brand: brand)) } }
        }
    }

    /// `nclx` of MP4 and `nclc` of QuickTime say the same, but for the range of values (ISO/IEC 14496-12 §12.1.5).
    private static func colour(_ payload: [UInt8], brand: MovieBrand) -> [UInt8] {
        switch (brand, payload.starts(with: Array("nclx".utf8))) {
        case (.mp4, false) where payload.starts(with: Array("nclc".utf8)): Array("nclx".utf8) + payload.dropFirst(4).prefix(6) + [0]
        case (.quickTime, true): Array("nclc".utf8) + payload.dropFirst(4).prefix(6)
        default: payload
        }
    }
}

extension SoundEntry {
    /// The sample entry, rebuilt from what is known. QuickTime has version 1 with `esds` inside `wave`.
    static func write(_ format: SoundFormat, brand: MovieBrand, into stsd: inout BoxWriter) {
        stsd.box(SoundFormat.code) { entry in
            entry.zeros(6)
            entry.u16(1)
            entry.u16(brand == .quickTime ? 1 : 0)
            entry.zeros(6)
            entry.u16(format.channels)
            entry.u16(16)
            // Compression −2: packets of varying size, in QuickTime.
            entry.u16(brand == .quickTime ? 0xfffe : 0)
            entry.u16(0)
            entry.u32(format.sampleRate <= 0xffff ? format.sampleRate << 16 : 0)
            switch brand {
            case .mp4: descriptor(format, into: &entry)
            case .quickTime:
                entry.u32(1024)
                entry.zeros(8)
                entry.u32(2)
                entry.box("wave") { wave in
                    wave.box("frma") { $0.code(SoundFormat.code) }
                    wave.box(SoundFormat.code) { $0.zeros(4) }
                    descriptor(format, into: &wave)
                    wave.u32(8)
                    wave.u32(0)
                }
            }
        }
    }

    private static func descriptor(_ format: SoundFormat, into entry: inout BoxWriter) {
        entry.fullBox("esds") { $0.raw(format.descriptor) }
    }
}
