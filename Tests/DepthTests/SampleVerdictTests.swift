import Depth
import Foundation
import Models
import Testing

@Suite("Verdicts of real captures", .enabled(if: !Sample.all.isEmpty, "needs ../shared/data/rgbd"))
struct SampleVerdictTests {
    @Test("are what the label says", arguments: Sample.all)
    func label(sample: Sample) throws {
        let result = DepthAnalyzer.analyze(depth: try sample.depth(), luma: try sample.luma(), exifOrientation: nil)
        #expect(result.verdict.rawValue == sample.label)
        #expect(result.reason == nil)
        #expect(result.rotation == 0)
        #expect(result.method == "relief-2")
    }

    @Test("do not hang on the photo", arguments: Sample.all)
    func withoutPhoto(sample: Sample) throws {
        let result = DepthAnalyzer.analyze(depth: try sample.depth(), luma: nil, exifOrientation: nil)
        #expect(result.verdict.rawValue == sample.label)
        #expect(result.edgeCoherence == 0)
    }

    @Test("have the same bits twice", arguments: Sample.all)
    func reproducible(sample: Sample) throws {
        let (depth, luma) = (try sample.depth(), try sample.luma())
        let first = DepthAnalyzer.analyze(depth: depth, luma: luma, exifOrientation: 1)
        let second = DepthAnalyzer.analyze(depth: depth, luma: luma, exifOrientation: 1)
        #expect(try WireJSON.encode(first) == WireJSON.encode(second))
        #expect(first.relief?.bitPattern == second.relief?.bitPattern)
        #expect(first.depthVariance.bitPattern == second.depthVariance.bitPattern)
    }

    @Test("say how relief is divided, and where the photo's edges lie", arguments: Sample.all)
    func parts(sample: Sample) throws {
        let result = DepthAnalyzer.analyze(depth: try sample.depth(), luma: try sample.luma(), exifOrientation: nil)
        let (relief, front, behind) = try (
            #require(result.relief), #require(result.reliefFront), #require(result.reliefBehind)
        )
        #expect(front >= 0 && behind >= 0 && abs(front + behind - relief) < 1e-9)
        let edges = try #require(result.photoEdgesOnSurface)
        #expect((0...1).contains(edges))
        // A picture's edges lie on its surface.
        if sample.label == "flat" { #expect(edges > 0.95) }
    }
}
