/// The checksum of ZIP entries (ISO 3309, reflected polynomial 0xEDB88320). It sees accidents, not attackers.
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xedb8_8320 ^ value >> 1 : value >> 1 }
    }

    /// - Parameter checksum: of the bytes before these; 0 for none.
    static func checksum(_ bytes: some Sequence<UInt8>, after checksum: UInt32 = 0) -> UInt32 {
        table.withUnsafeBufferPointer { table in
            // An index of eight bits into 256 elements.
            ~bytes.reduce(~checksum) { $0 >> 8 ^ table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] }
        }
    }
}

/// Size and checksum of a file that is put into a bundle without being in memory, taken as its bytes go by.
public struct BundledFile: Sendable, Equatable {
    /// One of the published files, as `c2pa.mp4`.
    public let name: String
    public private(set) var sizeBytes = 0
    private(set) var checksum: UInt32 = 0

    public init(name: String) { self.name = name }

    /// Takes the file's next bytes.
    public mutating func append(_ bytes: some Collection<UInt8>) {
        sizeBytes += bytes.count
        checksum = CRC32.checksum(bytes, after: checksum)
    }
}
