/// Every second pixel of a depth map in both axes, as fixed-point logarithms, with its discontinuities.
struct HalfDepth {
    let width: Int
    let height: Int
    /// ln z in units of 2⁻²⁰; ``missing`` without a measurement.
    let logarithms: [Int32]
    /// One flag per pixel: whether there is a jump between it and a neighbour.
    let edges: [Bool]

    static let missing = Int32.min
    /// ``logarithms`` of a factor e.
    static let unit = 1 << 20

    /// - Parameter map: the measured map.
    init(_ map: DepthMap) {
        (width, height) = (map.width / 2, map.height / 2)
        var metres: [Float] = []
        metres.reserveCapacity(width * height)
        for y in 0..<height {
            for x in 0..<width { metres.append(map.metres[2 * y * map.width + 2 * x]) }
        }
        logarithms = metres.map { DepthMap.isValid(Double($0)) ? Self.logarithm(Double($0)) : Self.missing }
        edges = DepthJumps(DepthMap(trusted: width, height, metres)).edges
    }

    /// The natural logarithm in units of 2⁻²⁰, rounded, by arithmetic that IEEE 754 defines: the logarithms of C libraries differ in their
    /// last bits.
    /// - Parameter value: a valid depth.
    static func logarithm(_ value: Double) -> Int32 {
        let bits = value.bitPattern
        var exponent = Double(Int(bits >> 52 & 0x7FF) - 1023)
        var mantissa = Double(bitPattern: bits & 0xF_FFFF_FFFF_FFFF | 0x3FF0_0000_0000_0000)
        if mantissa > 1.4142135623730951 {
            mantissa *= 0.5
            exponent += 1
        }
        // ln m = 2 artanh((m − 1) / (m + 1)); the argument is at most 0.172, so that the next term is under 10⁻¹².
        let ratio = (mantissa - 1) / (mantissa + 1)
        let square = ratio * ratio
        var series = 1.0 / 13
        series = series * square + 1.0 / 11
        series = series * square + 1.0 / 9
        series = series * square + 1.0 / 7
        series = series * square + 1.0 / 5
        series = series * square + 1.0 / 3
        series = series * square + 1
        let natural = exponent * 0.6931471805599453 + 2 * ratio * series
        // Truncation of a positive number.
        return Int32(natural * Double(unit) + 8_388_608.5) - 8_388_608
    }
}
