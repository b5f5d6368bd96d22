/// The scenes of which videos can be rendered.
public enum VideoScene: String, CaseIterable, Sendable {
    /// A furnished room, panned from one place.
    case room
    /// The room, walked through.
    case walk
    /// The room, filmed by a camera that stands still.
    case still
    /// A monitor that plays a film of a room, as an attacker would film it.
    case screen
    /// A poster on a wall at an angle, panned.
    case poster

    /// Whether there is nothing behind the surface.
    public var isFlat: Bool { self == .screen || self == .poster }

    private var kind: SceneKind {
        switch self {
        case .room, .walk, .still: .room
        case .screen: .screen
        case .poster: .poster
        }
    }

    /// The stage before the camera moves, with patterns on all surfaces: motion can be seen everywhere.
    func stage(seed: UInt64) -> Stage {
        kind.stage(seed: seed).patterned(seed: seed)
    }

    /// How the camera moves.
    func motion(seed: UInt64) -> CameraMotion {
        switch self {
        case .room: CameraMotion(seed: seed, yaw: (0.3, 6), sway: (0.06, 4.1), advance: (0, 1), shake: 0.002)
        case .walk: CameraMotion(seed: seed, yaw: (0.12, 7), sway: (0.22, 4.3), advance: (0.5, 6), shake: 0.004)
        case .still: CameraMotion(seed: seed, yaw: (0, 1), sway: (0, 1), advance: (0, 1), shake: 0)
        case .screen: CameraMotion(seed: seed, yaw: (0.015, 4), sway: (0.012, 3.1), advance: (0.01, 5), shake: 0.0005)
        case .poster: CameraMotion(seed: seed, yaw: (0.08, 5), sway: (0.05, 4), advance: (0, 1), shake: 0.002)
        }
    }
}

extension Stage {
    fileprivate func patterned(seed: UInt64) -> Stage {
        changing { index, shape, material in
            let seed = seed ^ UInt64(index + 1) &* 0x9E37_79B9
            switch (material, shape) {
            case (.picture(let shown, let isGlowing), _): return .picture(shown.patterned(seed: seed ^ 0x517C), isGlowing: isGlowing)
            case (_, .rectangle(let rectangle)):
                return .patterned(material, seed: seed, scale: (rectangle.right.length, rectangle.up.length))
            default: return .patterned(material, seed: seed, scale: (1, 1))
            }
        }
    }

    /// The stage with the film that its screens play at this time.
    func playing(_ motion: CameraMotion, at seconds: Double) -> Stage {
        changing { _, _, material in
            guard case .picture(let stage, let isGlowing) = material else { return material }
            return .picture(motion.view(of: stage, at: seconds), isGlowing: isGlowing)
        }
    }
}
