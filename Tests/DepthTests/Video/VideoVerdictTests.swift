import CaptureProtocol
import Depth
import Models
import Testing

@Suite("Verdicts on videos")
struct VideoVerdictTests {
    typealias Camera = VideoScene.Camera

    /// The ways to move a camera through a scene.
    enum Motion: String, CaseIterable {
        case walk, sideways, pan, byHand

        func camera(_ index: Int) -> Camera {
            let step = Double(index)
            switch self {
            case .walk: return Camera(x: 0.004 * step, z: 0.02 * step)
            case .sideways: return Camera(x: 0.025 * step)
            case .pan: return Camera(pan: 0.018 * step)
            case .byHand: return Camera(x: index % 8 < 4 ? 0.02 * Double(index % 4) : 0.08 - 0.02 * Double(index % 4), z: 0.005 * step)
            }
        }
    }

    static let real = Result { try VideoScene.room(1).video(24) { Motion.sideways.camera($0) } }

    @Test("are real for a scene, however the camera moves", arguments: Motion.allCases)
    func realScene(motion: Motion) throws {
        let result = try VideoScene.room(1).video(24) { motion.camera($0) }.analyze()
        #expect(result.verdict == .real && result.reason == nil && result.isLikelyRealScene)
        #expect(result.keyframes == 24 && result.realShare == 1 && result.flatShare == 0 && result.suspiciousFrames.isEmpty)
        #expect(try #require(result.edgeAlignment) > 0.05)
        #expect(try #require(result.depthConsistency) > 0.9 && result.sceneStability == 1)
        // Under 200 places may move in so short a video.
        if motion == .sideways || motion == .pan { #expect(result.motionCoherence != nil) }
        if let coherence = result.motionCoherence { #expect(coherence > 0.7 && result.specifiedRule) }
        #expect(result.method == "relief-video-1" && result.coverage == 1)
        #expect(try #require(result.minDepth) < 1 && (try #require(result.maxDepth)) > 3)
    }

    @Test("are real for a still scene, where no motion can be measured")
    func still() throws {
        let result = try VideoScene.room(2).video(12) { _ in Camera() }.analyze()
        #expect(result.verdict == .real)
        #expect(result.motionCoherence == nil && !result.specifiedRule)
    }

    @Test("are flat for a screen that fills the picture, and for a poster at an angle", arguments: [0.0, 0.45])
    func flat(slope: Double) throws {
        let result = try VideoScene.poster(3, slope: slope).video(12) { Camera(x: 0.02 * Double($0)) }.analyze()
        #expect(result.verdict == .flat && result.reason == nil && result.flatShare == 1)
        #expect(result.suspiciousFrames == (0..<12).map { 3 * $0 })
    }

    @Test("find one depth map for the whole video frozen")
    func frozen() throws {
        let video = try Self.real.get()
        let result = try video.withDepth { _ in video[0].depth }.analyze()
        #expect(result.verdict == .undecided && result.reason?.known == .frozenDepth)
        #expect(result.suspiciousFrames == (1..<24).map { 3 * $0 })
    }

    @Test("find one depth map with fresh noise not to be of the video")
    func frozenWithNoise() throws {
        let video = try Self.real.get()
        var random = Randomness(5)
        let result = try video.withDepth { _ in
            let metres = video[0].depth.metres.map { $0 * Float(Maps.noise(&random)) }
            return (try? DepthMap(width: 256, height: 192, metres: metres)) ?? video[0].depth
        }.analyze()
        #expect(result.verdict == .undecided)
        #expect([.depthNotOfVideo, .unstableDepth].contains(result.reason?.known))
        #expect(result.motionCoherence.map { $0 < 0.2 } ?? true)
    }

    @Test("find the depth of another scene not to be of the video", arguments: [(7, Motion.sideways), (8, .walk), (9, .byHand)])
    func otherScene(seed: Int, motion: Motion) throws {
        let other = try VideoScene.room(UInt64(seed)).video(24) { motion.camera($0) }
        let result = try Self.real.get().withDepth { other[$0].depth }.analyze()
        #expect(result.verdict == .undecided)
        #expect([.depthNotOfVideo, .unstableDepth].contains(result.reason?.known))
        #expect(result.edgeAlignment.map { $0 < 0.05 } ?? true)
    }

    @Test("find depth that jumps between scenes unstable")
    func unstable() throws {
        let others = try (20..<24).map { try VideoScene.room(UInt64($0)).keyframe(0, camera: Camera(), noise: 3).depth }
        let result = try Self.real.get().withDepth { others[$0 % 4] }.analyze()
        #expect(result.reason?.known == .unstableDepth)
        #expect(result.suspiciousFrames.count > 12)
    }

    @Test("find a video partly flat if a second and more of it is")
    func partlyFlat() throws {
        let poster = try VideoScene.poster(3, slope: 0.1).video(24) { _ in Camera() }
        let result = try Self.real.get().withDepth { $0 < 9 ? poster[$0].depth : (try? Self.real.get()[$0].depth) ?? poster[0].depth }
            .analyze()
        #expect(result.reason?.known == .partlyFlat)
        #expect(result.flatShare == 9.0 / 24 && result.suspiciousFrames.starts(with: (0..<9).map { 3 * $0 }))
    }

    @Test("list every keyframe with its time, relief and agreement with the one before")
    func frames() throws {
        let result = try Self.real.get().analyze(rotation: 3)
        #expect(result.frameAnalyses.map(\.frame) == (0..<24).map { 3 * $0 })
        #expect(result.frameAnalyses.map(\.timeMilliseconds) == (0..<24).map { 100 * $0 })
        #expect(result.frameAnalyses[0].agreement == nil)
        #expect(result.frameAnalyses.dropFirst().allSatisfy { ($0.agreement ?? 0) > 0.8 })
        #expect(result.frameAnalyses.allSatisfy { $0.verdict == .real && ($0.relief ?? 0) > 0.2 })
        let reliefs = result.frameAnalyses.compactMap(\.relief).sorted()
        #expect(result.relief == reliefs[12])
        #expect(result.rotation == 3 && result.framing == .whole)
    }

    @Test("give each keyframe the verdict that a photo with this depth and brightness gets")
    func asPhotos() throws {
        let video = try Self.real.get()
        let result = try video.analyze()
        for (keyframe, analysis) in zip(video, result.frameAnalyses) {
            let photo = DepthAnalysis.analyze(depth: keyframe.depth, luma: keyframe.luma, exifOrientation: 1)
            #expect(photo.verdict == analysis.verdict && photo.relief == analysis.relief)
        }
    }
}
