import CaptureProtocol
import Depth
import Foundation
import Models
import Testing

@Suite("Real captures", .enabled(if: Sample.arePresent, "needs ../shared/data/rgbd"))
struct SampleTests {
    @Test("can be read, and are six: the tests below run over them")
    func index() throws {
        let samples = try Sample.index()
        #expect(samples.count == 6 && Set(samples.map(\.label)) == ["real", "flat"])
    }
}

@Suite("Verdicts of real captures", .enabled(if: Sample.arePresent, "needs ../shared/data/rgbd"))
struct SampleVerdictTests {
    @Test("are what the label says", arguments: Sample.all)
    func label(sample: Sample) throws {
        let result = DepthAnalysis.analyze(depth: try sample.depth(), luma: try sample.luma(), exifOrientation: nil)
        #expect(result.verdict.rawValue == sample.label)
        #expect(result.reason == nil)
        #expect(result.rotation == 0)
        #expect(result.method == "relief-2")
    }

    @Test("do not depend on the photo", arguments: Sample.all)
    func withoutPhoto(sample: Sample) throws {
        let result = DepthAnalysis.analyze(depth: try sample.depth(), luma: nil, exifOrientation: nil)
        #expect(result.verdict.rawValue == sample.label)
        #expect(result.edgeCoherence == 0)
    }

    @Test("have the same bits twice", arguments: Sample.all)
    func reproducible(sample: Sample) throws {
        let (depth, luma) = (try sample.depth(), try sample.luma())
        let first = DepthAnalysis.analyze(depth: depth, luma: luma, exifOrientation: 1)
        let second = DepthAnalysis.analyze(depth: depth, luma: luma, exifOrientation: 1)
        #expect(try WireJSON.encode(first) == WireJSON.encode(second))
        #expect(first.relief?.bitPattern == second.relief?.bitPattern)
        #expect(first.depthVariance.bitPattern == second.depthVariance.bitPattern)
    }

    @Test("say how relief is divided, and where the photo's edges lie", arguments: Sample.all)
    func parts(sample: Sample) throws {
        let result = DepthAnalysis.analyze(depth: try sample.depth(), luma: try sample.luma(), exifOrientation: nil)
        let (relief, front, behind) = try (
            #require(result.relief), #require(result.reliefFront), #require(result.reliefBehind)
        )
        #expect(front >= 0 && behind >= 0 && abs(front + behind - relief) < 1e-9)
        let edges = try #require(result.photoEdgesOnSurface)
        #expect((0...1).contains(edges))
        // The edges of a recaptured picture are on its surface.
        if sample.label == "flat" { #expect(edges > 0.95) }
    }

    /// Recorded on x86-64 Linux: relief, its front and behind, the deviation, and the photo's edges on the surface.
    private static let recorded: [String: [UInt64]] = [
        "dev_real_library": [
            4_602_807_392_605_806_280, 4_598_199_421_603_282_885, 4_598_408_164_353_588_683, 4_602_087_290_396_227_047,
            4_604_092_121_366_957_838,
        ],
        "dev_real_kitchen": [
            4_603_916_410_404_341_655, 4_599_396_834_495_510_830, 4_599_428_787_058_431_488, 4_601_827_401_760_387_011,
            4_601_671_624_367_803_670,
        ],
        "dev_real_box": [
            4_605_631_353_009_825_504, 4_601_005_952_517_210_222, 4_601_249_554_247_699_795, 4_598_368_031_896_983_463,
            4_596_189_802_858_486_699,
        ],
        "dev_flat_monitor": [0, 0, 0, 4_598_590_044_695_208_612, 4_607_182_418_800_017_408],
        "dev_flat_full": [0, 0, 0, 4_590_016_677_247_778_582, 4_607_182_418_800_017_408],
        "dev_flat_poster": [0, 0, 0, 4_603_051_602_154_907_796, 4_607_182_418_800_017_408],
    ]

    @Test("have the recorded bits on every machine", arguments: Sample.all)
    func golden(sample: Sample) throws {
        let result = DepthAnalysis.analyze(depth: try sample.depth(), luma: try sample.luma(), exifOrientation: nil)
        let numbers = [result.relief, result.reliefFront, result.reliefBehind, result.depthVariance, result.photoEdgesOnSurface]
        #expect(numbers.map { $0?.bitPattern } == Self.recorded[sample.name]?.map { $0 })
    }
}
