/// The part of all new traces that are sampled, by the id alone, so that services with the same ratio choose the same ones.
public struct SamplingRatio: Sendable, Equatable {
    public static let all = SamplingRatio(bound: 1 << 63)
    let bound: UInt64

    init(bound: UInt64) { self.bound = bound }

    /// `nil` unless the ratio is in 0...1.
    public init?(_ ratio: Double) {
        guard (0...1).contains(ratio) else { return nil }
        bound = UInt64(ratio * 0x1p63)
    }

    /// - Parameter word: the last eight bytes of a trace's id.
    func takes(_ word: UInt64) -> Bool { word >> 1 < bound }
}
