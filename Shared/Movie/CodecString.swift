extension VideoFormat {
    /// How HTML's `codecs` names it (RFC 6381): `avc1.PPCCLL`, or `hvc1.` with profile, compatibility, tier, level and constraints
    /// (ISO/IEC 14496-15 annex E). `nil` for a configuration that is too short.
    public var codecString: String? {
        guard configuration.count >= codec.shortestConfiguration else { return nil }
        switch codec {
        case .h264: return "avc1." + configuration[1...3].map { Self.hex($0, digits: 2) }.joined()
        case .hevc:
            let space = ["", "A", "B", "C"][Int(configuration[1] >> 6)]
            let profile = configuration[1] & 0x1f
            let tier = configuration[1] & 0x20 == 0 ? "L" : "H"
            // The flags in reverse order of bits.
            let compatibility = configuration[2...5].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32(Self.reversed($1)) }
            let constraints = configuration[6...11].reversed().drop { $0 == 0 }.reversed()
            let parts = ["hvc1", "\(space)\(profile)", Self.hex(compatibility, digits: 1), "\(tier)\(configuration[12])"]
            return (parts + constraints.map { Self.hex($0, digits: 1) }).joined(separator: ".")
        }
    }

    private static func reversed(_ byte: UInt8) -> UInt8 { (0..<8).reduce(0) { $0 << 1 | (byte >> UInt8($1)) & 1 } }

    fileprivate static func hex(_ value: some BinaryInteger, digits: Int) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(digits - text.count, 0)) + text
    }
}

extension SoundFormat {
    /// How HTML's `codecs` names it: `mp4a.40.2` for AAC-LC. `nil` for a descriptor that is too short.
    public var codecString: String? {
        var stream = DescriptorReader(descriptor[...])
        guard let elementary = stream.next(tag: 3) else { return nil }
        var fields = elementary.dropFirst(3)
        guard let flags = elementary.dropFirst(2).first else { return nil }
        // The stream that it depends on, an address, the clock's stream (ISO/IEC 14496-1 §7.2.6.5).
        if flags & 0x80 != 0 { fields = fields.dropFirst(2) }
        if flags & 0x40 != 0 { fields = fields.dropFirst(1 + Int(fields.first ?? 0)) }
        if flags & 0x20 != 0 { fields = fields.dropFirst(2) }
        var inside = DescriptorReader(fields)
        guard let decoder = inside.next(tag: 4), let kind = decoder.first, decoder.count >= 13 else { return nil }
        let name = "mp4a." + VideoFormat.hex(kind, digits: 2)
        guard kind == 0x40 else { return name }
        var specific = DescriptorReader(decoder.dropFirst(13))
        guard let configuration = specific.next(tag: 5), configuration.count >= 2, let first = configuration.first,
            let second = configuration.dropFirst().first
        else { return nil }
        // ISO/IEC 14496-3 §1.6.2.1: five bits, or 31 and six more.
        let type = first >> 3
        return "\(name).\(type == 31 ? 32 + ((first & 7) << 3 | second >> 5) : type)"
    }
}

/// Reads descriptors of ISO/IEC 14496-1 §8.3.3: a tag, a length in groups of seven bits, a payload.
private struct DescriptorReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// The payload of the next descriptor; `nil` if it is another or too short.
    mutating func next(tag: UInt8) -> ArraySlice<UInt8>? {
        guard rest.popFirst() == tag else { return nil }
        var length = 0
        for _ in 0..<4 {
            guard let byte = rest.popFirst() else { return nil }
            length = length << 7 | Int(byte & 0x7f)
            if byte & 0x80 == 0 { break }
        }
        guard length <= rest.count else { return nil }
        defer { rest = rest.dropFirst(length) }
        return rest.prefix(length)
    }
}
