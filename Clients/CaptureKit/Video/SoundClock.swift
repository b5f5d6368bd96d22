/// Tells whether each piece of a microphone's sound begins where the one before it ends. Its packets have no times of their own: behind a
/// gap, or at another rate, all of them would lie in the wrong place.
struct SoundClock {
    /// Seconds: far more than a microphone's times waver, and less than anybody sees at lips.
    private static let tolerance = 0.05
    private var last: (end: Double, sampleRate: Double)?

    /// - Parameters:
    ///   - seconds: of the piece's beginning, on the microphone's clock.
    ///   - sampleCount: for each channel.
    ///   - sampleRate: hertz.
    /// - Returns: whether it follows the piece before it without a gap and at the same rate; true for the first one.
    mutating func follows(at seconds: Double, sampleCount: Int, sampleRate: Double) -> Bool {
        defer { last = (seconds + Double(sampleCount) / sampleRate, sampleRate) }
        guard let last else { return true }
        return sampleRate == last.sampleRate && abs(seconds - last.end) <= Self.tolerance
    }
}
