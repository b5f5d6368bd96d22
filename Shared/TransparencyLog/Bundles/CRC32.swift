/// The checksum of ZIP entries (ISO 3309, reflected polynomial 0xEDB88320). It sees accidents, not attackers.
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xedb8_8320 ^ value >> 1 : value >> 1 }
    }

    static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
        table.withUnsafeBufferPointer { table in
            // An index of eight bits into 256 elements.
            ~bytes.reduce(UInt32.max) { $0 >> 8 ^ table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] }
        }
    }
}
