/// Runs of 16 bytes, by which a test finds out whether some bytes have anything of others.
package enum Pieces {
    package static let none: Set<UInt128> = []

    package static func of(_ bytes: [UInt8]) -> Set<UInt128> {
        var latest: UInt128 = 0
        var pieces = Set<UInt128>(minimumCapacity: bytes.count)
        for (index, byte) in bytes.enumerated() {
            latest = latest << 8 | UInt128(byte)
            if index >= 15 { pieces.insert(latest) }
        }
        return pieces
    }
}
