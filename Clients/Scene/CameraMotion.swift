import Foundation

/// A camera that pans, sways from side to side and walks to and fro, each as a sine, and shakes in the hand.
struct CameraMotion: Sendable {
    /// Radians or metres to each side, and the period in seconds.
    typealias Swing = (amplitude: Double, period: Double)

    private let yaw: Swing
    private let sway: Swing
    /// Only forward from where it began.
    private let advance: Swing
    /// Radians.
    private let shake: Double
    private let phase: Double
    private let tremor: ValueNoise

    /// - Parameter seed: decides where in its swings the camera begins, and how it shakes.
    init(seed: UInt64, yaw: Swing, sway: Swing, advance: Swing, shake: Double) {
        self.yaw = yaw
        self.sway = sway
        self.advance = advance
        self.shake = shake
        phase = SeededGenerator.hash(3, 1, seed: seed) * 2 * .pi
        tremor = ValueNoise(seed: seed ^ 0xC1, cell: 0.13)
    }

    /// The stage as the camera sees it at this time.
    func view(of stage: Stage, at seconds: Double) -> Stage {
        func swing(_ swing: Swing) -> Double { swing.amplitude * sin(2 * .pi * seconds / swing.period + phase) }
        let angle = swing(yaw) + shake * tremor(seconds, 0)
        let ahead = Vector3(stage.forward.x, 0, stage.forward.z).normalized
        let side = Vector3(ahead.z, 0, -ahead.x)
        let step = advance.amplitude * (1 - cos(2 * .pi * seconds / advance.period)) / 2
        let position = stage.position + side * swing(sway) + ahead * step
        let forward = stage.forward.turned(cosine: cos(angle), sine: sin(angle)) + Vector3(0, shake * tremor(seconds, 9), 0)
        return stage.seen(from: position, towards: position + forward)
    }
}
