import Foundation

/// The scenes that can be rendered.
public enum SceneKind: String, CaseIterable, Sendable {
    /// A furnished room, 1.5 m to 5 m away.
    case room
    /// A mug, books and fruit on a desk, half a metre away.
    case desk
    /// A monitor that shows a room, as an attacker would photograph it.
    case screen
    /// A screen that covers about six sevenths of the centre of the picture, with a room beside it.
    case screenInRoom = "screen-in-room"
    /// A poster on a wall, seen at an angle so that its distances differ by metres although it is flat.
    case poster

    /// The stage for a seed, which determines the positions of objects.
    func stage(seed: UInt64) -> Stage {
        var random = SeededGenerator(seed: seed &+ 0x5CE4E)
        return switch self {
        case .room: Self.room(&random)
        case .desk: Self.desk(&random)
        case .screen: Self.screen(&random)
        case .screenInRoom: Self.screenInRoom(&random)
        case .poster: Self.poster(&random)
        }
    }

    private static func turn(_ radians: Double) -> (cosine: Double, sine: Double) { (cos(radians), sin(radians)) }

    static func room(_ random: inout SeededGenerator) -> Stage {
        let side = random.sign()
        var stage = Stage(
            camera: Vector3(random.number(-0.3...0.3), 1.5, -0.2), target: Vector3(random.number(-0.2...0.2), 0.95, 2.4),
            light: Vector3(side * -0.8, 2.4, 1.2))
        let wall = random.colour(of: [0xE9E2D3, 0xD9E2DF, 0xE6DAD2])
        stage.add(
            .rectangle(.init(centre: Vector3(0, 0, 2), right: Vector3(2.4, 0, 0), up: Vector3(0, 0, 2.7))),
            .wood(Vector3(rgb: 0xB98A5A), seed: random.next()))
        stage.add(
            .rectangle(.init(centre: Vector3(0, 1.3, 4.4), right: Vector3(2.4, 0, 0), up: Vector3(0, 1.3, 0))), .plain(wall))
        for x in [-2.4, 2.4] {
            stage.add(
                .rectangle(.init(centre: Vector3(x, 1.3, 2), right: Vector3(0, 0, 2.7), up: Vector3(0, 1.3, 0))),
                .plain(wall * 0.94))
        }
        stage.add(
            .rectangle(.init(centre: Vector3(0, 2.6, 2), right: Vector3(2.4, 0, 0), up: Vector3(0, 0, 2.7))),
            .plain(Vector3(0.95, 0.95, 0.93)))
        addTable(to: &stage, at: Vector3(side * 0.25 + random.number(-0.15...0.15), 0, random.number(1.9...2.2)), &random)
        addShelf(to: &stage, at: Vector3(side * -1.5, 0, 4.1), &random)
        addSofa(to: &stage, at: Vector3(side * 1.2, 0, 3.7), &random)
        stage.add(
            .sphere(centre: Vector3(side * -0.9, 0.22, random.number(2.3...2.8)), radius: 0.22),
            .tiles(Vector3(rgb: 0xC4452F), Vector3(rgb: 0xF1E7D0), size: 0.09))
        stage.add(
            .rectangle(.init(centre: Vector3(side * 0.7, 1.7, 4.39), right: Vector3(0.5, 0, 0), up: Vector3(0, 0.35, 0))),
            .landscape(seed: random.next()))
        return stage
    }

    private static func addTable(to stage: inout Stage, at place: Vector3, _ random: inout SeededGenerator) {
        let wood = Material.wood(Vector3(rgb: 0x8A5A36), seed: random.next())
        stage.add(.box(Box(base: place + Vector3(0, 0.70, 0), size: Vector3(1.1, 0.05, 0.7))), wood)
        for (x, z) in [(-0.48, -0.28), (0.48, -0.28), (-0.48, 0.28), (0.48, 0.28)] {
            stage.add(.box(Box(base: place + Vector3(x, 0, z), size: Vector3(0.06, 0.70, 0.06))), wood)
        }
        let vase = place + Vector3(random.number(-0.25...0.05), 0.75, random.number(-0.1...0.1))
        stage.add(.cylinder(base: vase, radius: 0.09, height: 0.30), .plain(random.colour(of: [0x2F6F8F, 0x6B8F3A, 0x9A4A6B])))
        stage.add(.sphere(centre: vase + Vector3(0, 0.42, 0), radius: 0.17), .plain(Vector3(rgb: 0x4F8A45)))
        stage.add(
            .box(
                Box(
                    base: place + Vector3(0.3, 0.75, -0.05), size: Vector3(0.26, 0.14, 0.2), turn: turn(random.number(-0.5...0.5))
                )), .spines(seed: random.next()))
    }

    private static func addShelf(to stage: inout Stage, at place: Vector3, _ random: inout SeededGenerator) {
        for level in 0..<5 {
            let height = 0.08 + Double(level) * 0.42
            stage.add(
                .box(Box(base: place + Vector3(0, height - 0.03, 0), size: Vector3(1.1, 0.03, 0.4))),
                .plain(Vector3(rgb: 0xD8C7A4)))
            let books = random.number(0.5...1.0)
            stage.add(
                .box(
                    Box(
                        base: place + Vector3(books / 2 - 0.52, height, 0.03),
                        size: Vector3(books, random.number(0.22...0.3), 0.22))), .spines(seed: random.next()))
        }
        for x in [-0.56, 0.56] {
            stage.add(.box(Box(base: place + Vector3(x, 0, 0), size: Vector3(0.03, 1.95, 0.4))), .plain(Vector3(rgb: 0xC9B58E)))
        }
    }

    private static func addSofa(to stage: inout Stage, at place: Vector3, _ random: inout SeededGenerator) {
        let cloth = Material.plain(random.colour(of: [0x4A6FA5, 0x7A4E7E, 0x5B7F6A]))
        stage.add(.box(Box(base: place, size: Vector3(1.5, 0.42, 0.8))), cloth)
        stage.add(.box(Box(base: place + Vector3(0, 0.42, 0.3), size: Vector3(1.5, 0.45, 0.2))), cloth)
        for x in [-0.72, 0.72] { stage.add(.box(Box(base: place + Vector3(x, 0, 0), size: Vector3(0.18, 0.62, 0.8))), cloth) }
        stage.add(
            .box(Box(base: place + Vector3(0.2, 0.44, 0.1), size: Vector3(0.42, 0.36, 0.14), turn: turn(0.3))),
            .tiles(Vector3(rgb: 0xE8B24A), Vector3(rgb: 0xD79A2E), size: 0.07))
    }
}
