import Foundation
import Imaging

/// A small deterministic ray caster that makes captures for the demo and the tests.
public enum SceneRenderer {
    /// Renders a photo and its LiDAR-like depth map. The same arguments give the same bytes on one machine.
    /// - Parameter seed: determines positions, colours and noise.
    /// - Throws: ``SceneError``.
    public static func render(_ kind: SceneKind, seed: UInt64, options: SceneOptions) throws(SceneError) -> RenderedScene {
        try check(options)
        let stage = kind.stage(seed: seed)
        let depth = LiDAR(seed: seed, hasBulges: kind == .screen || kind == .poster)
            .measure(stage, width: options.depthSize.width, height: options.depthSize.height)
        do {
            let photo = PhotoSensor(seed: seed).expose(stage, options)
            let image = try RGBImage(width: options.photoSize.width, height: options.photoSize.height, pixels: photo)
            let jpeg = try JPEGEncoder.encode(image, quality: options.jpegQuality)
            return RenderedScene(
                jpeg: try SceneEXIF(options: options).insert(into: jpeg), depth: depth,
                depthWidth: options.depthSize.width, depthHeight: options.depthSize.height)
        } catch let error as SceneError {
            throw error
        } catch {
            throw SceneError(.encodingFailed, "\(error)")
        }
    }

    private static func check(_ options: SceneOptions) throws(SceneError) {
        let sizes = [options.photoSize.width, options.photoSize.height]
        guard sizes.allSatisfy({ (16...ImageLimits.maximumSide).contains($0) }) else {
            throw SceneError(.invalidOptions, "a photo of \(sizes[0])×\(sizes[1])")
        }
        guard [options.depthSize.width, options.depthSize.height].allSatisfy({ (1...1024).contains($0) }) else {
            throw SceneError(.invalidOptions, "a depth map of \(options.depthSize.width)×\(options.depthSize.height)")
        }
        guard (1...8).contains(options.orientation), (1...100).contains(options.jpegQuality), options.detail >= 16 else {
            throw SceneError(.invalidOptions, "orientation, quality or detail out of range")
        }
    }
}
