import Foundation

extension SceneKind {
    static func desk(_ random: inout SeededGenerator) -> Stage {
        let side = random.sign()
        var stage = Stage(
            camera: Vector3(0, 0.36, -0.36), target: Vector3(0, 0.05, 0.05), light: Vector3(side * -0.5, 0.9, -0.2))
        stage.add(
            .rectangle(.init(centre: Vector3(0, 0, 0.2), right: Vector3(0.9, 0, 0), up: Vector3(0, 0, 0.6))),
            .wood(Vector3(rgb: 0xC49A6C), seed: random.next()))
        stage.add(
            .rectangle(.init(centre: Vector3(0, 0.5, 0.8), right: Vector3(1.2, 0, 0), up: Vector3(0, 1, 0))),
            .plain(Vector3(rgb: 0xDDE3E6)))
        let mug = Vector3(side * -0.06 + random.number(-0.02...0.02), 0, random.number(-0.01...0.03))
        stage.add(.cylinder(base: mug, radius: 0.045, height: 0.105), .plain(random.colour(of: [0xC8402F, 0x2F66A8, 0xE0A22B])))
        stage.add(
            .box(Box(base: mug + Vector3(side * -0.06, 0.025, 0), size: Vector3(0.035, 0.055, 0.012))),
            .plain(Vector3(rgb: 0xF0EDE6)))
        let books = Vector3(side * 0.13, 0, 0.1 + random.number(-0.02...0.02))
        for level in 0..<4 {
            let angle = random.number(-0.25...0.25)
            stage.add(
                .box(
                    Box(
                        base: books + Vector3(0, Double(level) * 0.03, 0), size: Vector3(0.22, 0.03, 0.16),
                        turn: (cos(angle), sin(angle)))),
                .plain(random.colour(of: [0x7A2E3B, 0x2F5D50, 0x39466B, 0xB7793A, 0xE8E2D0])))
        }
        stage.add(.sphere(centre: books + Vector3(0, 0.155, 0), radius: 0.036), .plain(Vector3(rgb: 0xB8C43C)))
        stage.add(.sphere(centre: Vector3(side * 0.05, 0.035, -0.06), radius: 0.035), .plain(Vector3(rgb: 0xE2702A)))
        stage.add(
            .box(Box(base: Vector3(side * -0.2, 0, 0.16), size: Vector3(0.12, 0.19, 0.09), turn: (cos(0.4), sin(0.4)))),
            .spines(seed: random.next()))
        return stage
    }

    static func screen(_ random: inout SeededGenerator) -> Stage {
        var stage = Stage(camera: Vector3(0, 1.1, 0), target: Vector3(0, 1.1, 0.6), light: Vector3(0.6, 2.2, -0.2))
        let wall = random.colour(of: [0xCFC8BB, 0xB9C2C6])
        stage.add(.rectangle(.init(centre: Vector3(0, 1.3, 1.5), right: Vector3(3, 0, 0), up: Vector3(0, 1.3, 0))), .plain(wall))
        stage.add(
            .box(Box(base: Vector3(0, 0.74, 0.85), size: Vector3(1.8, 0.04, 0.7))),
            .wood(Vector3(rgb: 0x9A7450), seed: random.next()))
        // Tilted by up to 8° each way; wide enough to cover four fifths of the frame.
        let (yaw, pitch) = (random.number(-0.12...0.12), random.number(-0.08...0.08))
        let right = Vector3(cos(yaw), 0, sin(yaw))
        let up = Vector3(sin(yaw) * sin(pitch), cos(pitch), -cos(yaw) * sin(pitch)).normalized
        let centre = Vector3(random.number(-0.01...0.01), 1.1 + random.number(-0.01...0.01), 0.6)
        stage.add(.rectangle(.init(centre: centre, right: right * 0.325, up: up * 0.235)), .plain(Vector3(0.06, 0.06, 0.07)))
        let room = SceneKind.room.stage(seed: random.next())
        let face = right.cross(up).normalized * -0.0006
        stage.add(.rectangle(.init(centre: centre + face, right: right * 0.315, up: up * 0.225)), .picture(room, isGlowing: true))
        return stage
    }

    static func screenInRoom(_ random: inout SeededGenerator) -> Stage {
        var stage = room(&random)
        // The centre goes from −0.6 to 0.6; 13 % to 16 % of it, on the right, are not covered.
        let edge = 0.6 - 1.2 * random.number(0.13...0.16)
        let picture = SceneKind.room.stage(seed: random.next())
        stage.add(.rectangle(stage.upright(at: 0.5, from: -1.3, to: edge)), .plain(Vector3(0.06, 0.06, 0.07)))
        stage.add(.rectangle(stage.upright(at: 0.4995, from: -1.2, to: edge - 0.03)), .picture(picture, isGlowing: true))
        return stage
    }

    static func poster(_ random: inout SeededGenerator) -> Stage {
        let side = random.sign()
        let angle = side * random.number(0.80...0.90)
        var stage = Stage(camera: Vector3(0, 1.4, 0), target: Vector3(0, 1.4, 1), light: Vector3(side * 0.4, 2.3, -0.3))
        let right = Vector3(cos(angle), 0, sin(angle))
        let centre = Vector3(0, 1.4, random.number(1.25...1.4))
        stage.add(
            .rectangle(.init(centre: centre, right: right * 9, up: Vector3(0, 4, 0))),
            .plain(random.colour(of: [0xD8D3C6, 0xC9D3D6])))
        let face = Vector3(sin(angle), 0, -cos(angle)) * 0.0008
        stage.add(
            .rectangle(.init(centre: centre + face, right: right * 0.7, up: Vector3(0, 0.5, 0))), .landscape(seed: random.next()))
        return stage
    }
}
