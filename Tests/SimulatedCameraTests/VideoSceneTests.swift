import Scene
import Testing

@Suite("Rendered videos")
struct VideoSceneTests {
    private func renderer(_ scene: VideoScene, seed: UInt64 = 1) throws -> VideoRenderer {
        var options = VideoOptions()
        options.size = (64, 48)
        options.depthSize = (32, 24)
        return try VideoRenderer(scene, seed: seed, options: options)
    }

    @Test("are the same twice, to the last bit", arguments: VideoScene.allCases)
    func deterministic(scene: VideoScene) throws {
        let (first, second) = (try renderer(scene), try renderer(scene))
        #expect(first.frame(at: 0.7) == second.frame(at: 0.7))
        #expect(first.depth(at: 0.7).map(\.bitPattern) == second.depth(at: 0.7).map(\.bitPattern))
    }

    @Test("are others with another seed")
    func seeded() throws {
        #expect(try renderer(.room, seed: 1).frame(at: 0) != renderer(.room, seed: 2).frame(at: 0))
    }

    @Test("move, unless the camera stands still; its depth has fresh noise", arguments: VideoScene.allCases)
    func moving(scene: VideoScene) throws {
        let renderer = try renderer(scene)
        #expect((renderer.frame(at: 0) == renderer.frame(at: 1)) == (scene == .still))
        #expect(renderer.depth(at: 0) != renderer.depth(at: 1))
    }

    @Test("have depth in half precision, in metres of a room")
    func halfPrecision() throws {
        let depth = try renderer(.room).depth(at: 0)
        #expect(depth.count == 32 * 24)
        #expect(depth.allSatisfy { $0.bitPattern & 0x1FFF == 0 && (0...6).contains($0) })
        #expect(depth.count { $0 > 1 } > 600)
    }

    @Test("have planes of Y, U and V, of one and two quarters of the pixels")
    func planes() throws {
        let frame = try renderer(.poster).frame(at: 0)
        #expect(frame.count == 64 * 48 * 3 / 2)
        #expect(frame.allSatisfy { (16...240).contains($0) })
    }

    @Test("are refused in sizes that cannot be encoded")
    func sizes() {
        var options = VideoOptions()
        options.size = (65, 48)
        #expect(throws: SceneError.self) { try VideoRenderer(.room, seed: 1, options: options) }
    }
}
