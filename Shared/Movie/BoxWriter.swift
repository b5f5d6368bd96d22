/// Puts boxes together, big-endian. Sizes are filled in when a box ends.
struct BoxWriter {
    private(set) var bytes: [UInt8] = []

    mutating func box(_ type: FourCharacterCode, _ content: (inout BoxWriter) -> Void) {
        let start = bytes.count
        u32(0)
        code(type)
        content(&self)
        let size = UInt32(clamping: bytes.count - start)
        for index in 0..<4 { bytes[start + index] = UInt8(truncatingIfNeeded: size >> (24 - 8 * UInt32(index))) }
    }

    /// A box with version and flags (ISO/IEC 14496-12 §4.2).
    mutating func fullBox(_ type: FourCharacterCode, version: UInt8 = 0, flags: UInt32 = 0, _ content: (inout BoxWriter) -> Void) {
        box(type) {
            $0.u32(UInt32(version) << 24 | flags)
            content(&$0)
        }
    }

    mutating func u8(_ value: UInt8) { bytes.append(value) }

    mutating func u16(_ value: UInt16) {
        u8(UInt8(truncatingIfNeeded: value >> 8))
        u8(UInt8(truncatingIfNeeded: value))
    }

    mutating func u32(_ value: UInt32) {
        u16(UInt16(truncatingIfNeeded: value >> 16))
        u16(UInt16(truncatingIfNeeded: value))
    }

    mutating func u64(_ value: UInt64) {
        u32(UInt32(truncatingIfNeeded: value >> 32))
        u32(UInt32(truncatingIfNeeded: value))
    }

    mutating func i32(_ value: Int32) { u32(UInt32(bitPattern: value)) }
    mutating func code(_ value: FourCharacterCode) { u32(value.value) }
    mutating func raw(_ content: some Sequence<UInt8>) { bytes.append(contentsOf: content) }
    mutating func zeros(_ count: Int) { raw(repeatElement(0, count: count)) }

    /// 8 bytes in version 1, else 4.
    mutating func wide(_ value: UInt64, version: UInt8) {
        if version == 1 { u64(value) } else { u32(UInt32(clamping: value)) }
    }

    /// A turn by `rotation` as nine numbers; the picture is moved back to where it begins at 0, 0.
    mutating func matrix(_ rotation: VideoRotation, width: UInt16, height: UInt16) {
        let turn = rotation.turn
        let (right, down): (UInt16, UInt16)
        switch rotation {
        case .none: (right, down) = (0, 0)
        case .quarter: (right, down) = (height, 0)
        case .half: (right, down) = (width, height)
        case .threeQuarters: (right, down) = (0, width)
        }
        for number in [turn.a, turn.b, 0, turn.c, turn.d, 0] { i32(number) }
        u32(UInt32(right) << 16)
        u32(UInt32(down) << 16)
        u32(1 << 30)
    }
}
