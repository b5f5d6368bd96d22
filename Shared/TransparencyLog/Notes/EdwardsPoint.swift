/// Encodings of points on edwards25519 (RFC 8032 §5.1.2): y in little-endian order, the top bit is the sign of x.
enum EdwardsPoint {
    /// Whether 32 bytes may be a public key: y is below 2^255 − 19 and the point is not of small order.
    ///
    /// Under a key of small order signatures verify that nobody made.
    static func isUsable(_ encoding: [UInt8]) -> Bool {
        guard encoding.count == 32 else { return false }
        var y = Array(encoding.reversed())
        y[0] &= 0x7f
        return y.lexicographicallyPrecedes(prime) && !smallOrder.contains(y)
    }

    // Big-endian from here on.

    private static let prime: [UInt8] = [0x7f] + Array(repeating: 0xff, count: 30) + [0xed]

    /// y of the points of order 1, 2, 4 and 8.
    private static let smallOrder: [[UInt8]] = [
        Array(repeating: 0, count: 31) + [1],
        [0x7f] + Array(repeating: 0xff, count: 30) + [0xec],
        Array(repeating: 0, count: 32),
        [
            0x05, 0xfc, 0x53, 0x6d, 0x88, 0x02, 0x38, 0xb1, 0x39, 0x33, 0xc6, 0xd3, 0x05, 0xac, 0xdf, 0xd5,
            0xf0, 0x98, 0xef, 0xf2, 0x89, 0xf4, 0xc3, 0x45, 0xb0, 0x27, 0xb2, 0xc2, 0x8f, 0x95, 0xe8, 0x26,
        ],
        [
            0x7a, 0x03, 0xac, 0x92, 0x77, 0xfd, 0xc7, 0x4e, 0xc6, 0xcc, 0x39, 0x2c, 0xfa, 0x53, 0x20, 0x2a,
            0x0f, 0x67, 0x10, 0x0d, 0x76, 0x0b, 0x3c, 0xba, 0x4f, 0xd8, 0x4d, 0x3d, 0x70, 0x6a, 0x17, 0xc7,
        ],
    ]
}
