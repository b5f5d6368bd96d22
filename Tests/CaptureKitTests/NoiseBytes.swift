extension [UInt8] {
    /// Bytes without a pattern, the same for the same seed.
    static func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            var state = seed
            while filled < count {
                // The finaliser of SplitMix64.
                state &+= 0x9e37_79b9_7f4a_7c15
                var word = state
                word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
                word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
                word ^= word >> 31
                for shift in stride(from: 0, to: Swift.min(64, (count - filled) * 8), by: 8) {
                    buffer[filled] = UInt8(truncatingIfNeeded: word >> UInt64(shift))
                    filled += 1
                }
            }
        }
    }
}
