/// When checkpoints are due (SPEC §10.2): before the first sample, in file order, at 5, 10, … seconds.
public struct CheckpointClock: Sendable, Equatable {
    /// Seconds between checkpoints.
    public static let interval: Int64 = 5

    /// Ticks per second of the track of pictures.
    public let timescale: UInt32
    /// The index of the next checkpoint, from 0.
    public private(set) var index: UInt32 = 0

    public init(timescale: UInt32) { self.timescale = timescale }

    /// The time of the next checkpoint, in ticks.
    public var due: Int64 { Int64(timescale) * Self.interval * (Int64(index) + 1) }

    /// The time of a checkpoint in milliseconds.
    public static func milliseconds(of index: UInt32) -> Int64 { (Int64(index) + 1) * interval * 1000 }

    /// Whether a checkpoint is due before the sample, and moves on to the next one. A sample that comes several intervals later makes one
    /// checkpoint due, the last that it passes.
    /// - Parameter time: p(n) of the next sample in file order.
    /// - Returns: the checkpoint's index; `nil` if none is due.
    public mutating func pass(_ time: Int64) -> UInt32? {
        guard time >= due else { return nil }
        while time >= due { index += 1 }
        return index - 1
    }

    /// Whether a packet of sound belongs to the checkpoint that is due at ``due``.
    /// - Parameters:
    ///   - time: p(m) in ticks of its own track.
    ///   - soundTimescale: ticks per second of that track.
    public func covers(sound time: Int64, soundTimescale: UInt32) -> Bool {
        time < Int64(soundTimescale) * Self.interval * (Int64(index) + 1)
    }
}
