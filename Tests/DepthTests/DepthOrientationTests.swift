import CaptureProtocol
import Models
import Testing

@testable import Depth

/// A scene with edges in one place only, so that only one rotation matches.
@Suite("Orientation of depth against the photo")
struct DepthOrientationTests {
    private let map: DepthMap
    private let photo: LumaImage

    init() throws {
        let metres = { (u: Double, v: Double) -> Double in
            if u > -0.8 && u < -0.2 && v > -0.7 && v < 0.1 { return 1 }
            return u > 0.3 && u < 0.5 && v > 0.2 && v < 0.9 ? 1.6 : 2.5
        }
        map = try Maps.make(metres)
        photo = try LumaImage(width: 256, height: 192, pixels: map.metres.map { UInt8($0 * 80) })
    }

    private func turned(_ orientation: Int) -> LumaImage { photo.oriented(orientation) }

    private func analyze(_ photo: LumaImage, _ orientation: Int?) -> DepthMeasurements {
        DepthAnalysis.analyze(depth: map, luma: photo, exifOrientation: orientation)
    }

    @Test(
        "is the EXIF orientation's when both lie as the sensor does",
        arguments: [(1, 0), (3, 2), (6, 1), (8, 3), (9, 0), (-1, 0)])
    func together(orientation: Int, rotation: Int) {
        let result = analyze(photo, orientation)
        #expect(result.rotation == rotation)
        #expect(result.edgeCoherence > 0.95)
    }

    @Test("is the one that fits when the photo was stored upright and the depth sideways", arguments: [(6, 1), (8, 3)])
    func sideways(turn: Int, rotation: Int) {
        for orientation in [nil, 1] as [Int?] {
            let result = analyze(turned(turn), orientation)
            #expect(result.rotation == rotation)
            #expect(result.edgeCoherence > 0.95)
        }
    }

    @Test("is upright when the photo must be turned to have the depth's shape")
    func uprightDepth() {
        // Stored sideways (8), with an EXIF orientation that rotates it clockwise (6).
        let result = analyze(turned(8), 6)
        #expect(result.rotation == 0)
        #expect(result.edgeCoherence > 0.95)
    }

    @Test("is found by the edges alone when the photo is square", arguments: [(1, 0), (6, 1), (3, 2), (8, 3)])
    func square(turn: Int, rotation: Int) {
        let square = photo.scaled(toWidth: 300, height: 300).oriented(turn)
        #expect(analyze(square, nil).rotation == rotation)
    }

    @Test("is the most likely one when nothing decides")
    func nothingTells() throws {
        let wall = try Maps.make { _, _ in 1 }
        let grey = try LumaImage(width: 192, height: 256, pixels: [UInt8](repeating: 100, count: 192 * 256))
        #expect(DepthAnalysis.analyze(depth: wall, luma: grey, exifOrientation: nil).rotation == 1)
        #expect(DepthAnalysis.analyze(depth: wall, luma: nil, exifOrientation: 8).rotation == 3)
    }

    @Test(
        "is known from the sizes and the EXIF orientation unless only the edges decide",
        arguments: [(1, nil, true), (1, 6, true), (1, 8, true), (6, nil, true), (6, 1, true), (8, nil, false), (8, 6, true)])
    func likely(turn: Int, orientation: Int?, isMeasured: Bool) {
        let photo = turned(turn)
        let likely = FittedDepth(map).likelyRotation(photo: (photo.width, photo.height), exifOrientation: orientation)
        #expect((likely == analyze(photo, orientation).rotation) == isMeasured)
    }

    @Test("mirrors the map with the photo that lies as it does, and no map beside a photo that was stored upright", arguments: 1...8)
    func mirrored(orientation: Int) {
        let fitted = FittedDepth(map)
        #expect(fitted.isMirrored(photo: (256, 192), exifOrientation: orientation) == [2, 4, 5, 7].contains(orientation))
        #expect(fitted.isMirrored(photo: nil, exifOrientation: orientation) == [2, 4, 5, 7].contains(orientation))
        #expect(!fitted.isMirrored(photo: (192, 256), exifOrientation: orientation))
        #expect(analyze(photo, orientation).edgeCoherence > 0.95)
    }

    @Test("changes neither verdict nor the other numbers")
    func onlyCoherence() {
        let (first, second) = (analyze(photo, 1), analyze(turned(6), nil))
        #expect(first.relief == second.relief && first.verdict == second.verdict)
        #expect(first.depthVariance == second.depthVariance && first.depthLayers == second.depthLayers)
    }

    @Test("of a picture is undone by its inverse", arguments: [(2, 2), (3, 3), (4, 4), (5, 5), (6, 8), (7, 7), (8, 6)])
    func inverse(orientation: Int, inverse: Int) {
        #expect(photo.oriented(orientation).oriented(inverse) == photo)
        #expect(photo.oriented(orientation) != photo)
    }
}
