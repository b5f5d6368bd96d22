import CaptureProtocol
import Compression
import Depth
import Foundation
import Imaging
import Models
import Scene
import Testing

@Suite("Rendered scenes")
struct SceneRendererTests {
    private var options: SceneOptions {
        var options = SceneOptions(capturedAt: Date(timeIntervalSince1970: 1_790_000_000.25))
        options.photoSize = (640, 480)
        options.detail = 256
        return options
    }

    private func analyze(_ scene: RenderedScene) throws -> DepthMeasurements {
        let map = try DepthMapDecoder.decode(try scene.depthGzip(), width: scene.depthWidth, height: scene.depthHeight)
        let gray = try PhotoVariants(scene.jpeg).luma(covering: (scene.depthWidth, scene.depthHeight))
        let luma = try LumaImage(width: gray.width, height: gray.height, pixels: gray.pixels)
        return DepthAnalysis.analyze(depth: map, luma: luma, exifOrientation: 1)
    }

    @Test("of screens with the room visible beside them are not real", arguments: [UInt64(1), 2, 7, .max])
    func screenInRoom(seed: UInt64) throws {
        let result = try analyze(try SceneRenderer.render(.screenInRoom, seed: seed, options: options))
        #expect(result.verdict != .real)
        #expect((0.10...0.20).contains(result.relief ?? 0) && (result.reliefFront ?? 1) < 0.02)
    }

    @Test(
        "of rooms and desks are real, of screens and posters flat", arguments: [SceneKind.room, .desk, .screen, .poster],
        [UInt64(1), 7, .max])
    func verdicts(kind: SceneKind, seed: UInt64) throws {
        let result = try analyze(try SceneRenderer.render(kind, seed: seed, options: options))
        #expect(result.verdict == (kind == .room || kind == .desk ? .real : .flat))
        #expect(result.coverage > 0.9 && result.coverage < 1)
    }

    @Test("of posters vary by more than half a metre, of desks by less")
    func deviations() throws {
        #expect(try analyze(try SceneRenderer.render(.poster, seed: 1, options: options)).depthVariance > 0.5)
        #expect(try analyze(try SceneRenderer.render(.desk, seed: 1, options: options)).depthVariance < 0.5)
    }

    @Test("have photos whose edges are where the depth jumps", arguments: [SceneKind.room, .desk])
    func coherence(kind: SceneKind) throws {
        #expect(try analyze(try SceneRenderer.render(kind, seed: 3, options: options)).edgeCoherence > 0.6)
    }

    @Test("are the same for the same seed and differ for another", arguments: SceneKind.allCases)
    func deterministic(kind: SceneKind) throws {
        let first = try SceneRenderer.render(kind, seed: 5, options: options)
        let second = try SceneRenderer.render(kind, seed: 5, options: options)
        #expect(first.jpeg == second.jpeg && first.depthBytes == second.depthBytes)
        let other = try SceneRenderer.render(kind, seed: 6, options: options)
        #expect(first.jpeg != other.jpeg && first.depth != other.depth)
    }

    @Test("have depth in three wrappings of the same bytes")
    func wrappings() throws {
        let scene = try SceneRenderer.render(.desk, seed: 2, options: options)
        // Without a wrapping is what Apple's `.zlib` writes.
        let wrapped = try [.gzip, .zlib, .none].map { try Deflate.compress(scene.depthBytes, wrapping: $0) }
        #expect(Set(wrapped).count == 3)
        for compressed in wrapped {
            #expect(try DepthMapDecoder.decode(compressed, width: 256, height: 192).metres == scene.depth)
        }
    }

    @Test("have the size asked for", arguments: [(4032, 3024), (480, 640), (33, 17)])
    func sizes(width: Int, height: Int) throws {
        var options = options
        options.photoSize = (width, height)
        options.depthSize = (32, 24)
        let scene = try SceneRenderer.render(.poster, seed: 1, options: options)
        let size = try JPEGDecoder.size(of: scene.jpeg)
        #expect(size.width == width && size.height == height)
        #expect(scene.depth.count == 32 * 24 && scene.depthWidth == 32 && scene.depthHeight == 24)
    }

    @Test("are refused for options out of range")
    func refusals() {
        let changes: [(inout SceneOptions) -> Void] = [
            { $0.photoSize = (0, 100) }, { $0.photoSize = (12_001, 100) }, { $0.depthSize = (1025, 1) },
            { $0.depthSize = (1, 0) }, { $0.orientation = 0 }, { $0.jpegQuality = 101 }, { $0.detail = 1 },
        ]
        for change in changes {
            var options = options
            change(&options)
            #expect(throws: SceneError.self) { _ = try SceneRenderer.render(.room, seed: 1, options: options) }
        }
    }
}
