import CaptureProtocol
import Depth
import Models
import Testing

@Suite("Keyframes that cover a video")
struct VideoCoverageTests {
    static let video = Result { try VideoScene.room(4, width: 128, height: 96).video(30) { _ in VideoScene.Camera() } }

    @Test("are five or more")
    func five() throws {
        let video = try Self.video.get()
        #expect(try Array(video.prefix(4)).analyze().reason?.known == .tooFewKeyframes)
        #expect(try Array(video.prefix(5)).analyze().reason?.known != .tooFewKeyframes)
    }

    @Test("come four times a second over the whole video", arguments: [(150, false), (151, true)] as [(Int64, Bool)])
    func rate(ticks: Int64, isTooFew: Bool) throws {
        let video = try Self.video.get().changed { (ticks * Int64($0), $1.luma) }
        let result = try video.analyze(endTicks: 30 * ticks)
        #expect((result.reason?.known == .tooFewKeyframes) == isTooFew)
    }

    @Test(
        "leave no gap over a second at the beginning, inside or at the end", arguments: [0, 12, 30],
        [(600, false), (601, true)] as [(Int64, Bool)])
    func gaps(place: Int, gap: (ticks: Int64, isTooFew: Bool)) throws {
        // Ten a second, and one distance that is longer.
        let longer = place == 0 ? gap.ticks : gap.ticks - 60
        let video = try Self.video.get().changed { index, keyframe in
            (60 * Int64(index) + (place < 30 && index >= place ? longer : 0), keyframe.luma)
        }
        let end = (video.last?.ticks ?? 0) + (place == 30 ? gap.ticks : 60)
        #expect((try video.analyze(endTicks: end).reason?.known == .tooFewKeyframes) == gap.isTooFew)
    }

    @Test("are not compared over more than a quarter of a second", arguments: [(150, true), (151, false)] as [(Int64, Bool)])
    func neighbours(ticks: Int64, isCompared: Bool) throws {
        let video = try Self.video.get().changed { index, keyframe in (60 * Int64(index) + (index >= 10 ? ticks - 60 : 0), keyframe.luma) }
        #expect((try video.analyze().frameAnalyses[10].agreement != nil) == isCompared)
        #expect(try video.analyze().frameAnalyses[11].agreement != nil)
    }

    @Test("need pictures: a video without them, or with a second of them missing, is undecodable")
    func pictures() throws {
        let video = try Self.video.get()
        #expect(try video.changed { ($1.ticks, nil) }.analyze().reason?.known == .videoUndecodable)
        let gap = try video.changed { ($1.ticks, (5..<16).contains($0) ? nil : $1.luma) }.analyze()
        #expect(gap.verdict == .undecided && gap.reason?.known == .videoUndecodable)
        #expect(gap.frameAnalyses[5].agreement == nil && gap.frameAnalyses[16].agreement == nil)
        let one = try video.changed { ($1.ticks, $0 == 7 ? nil : $1.luma) }.analyze()
        #expect(one.reason?.known != .videoUndecodable)
        let layout = try VideoDepthLayout(frame: (512, 384), depth: (128, 96), rotation: 0)
        #expect(
            VideoDepthAnalysis(layout: layout, timescale: 600).finish(endTicks: 0, isDecodable: false).reason?.known == .videoUndecodable)
    }

    @Test("come in order of time, in the size of the layout, and are at most 200")
    func order() throws {
        let layout = try VideoDepthLayout(frame: (64, 48), depth: (8, 6), rotation: 0)
        var analysis = VideoDepthAnalysis(layout: layout, timescale: 600)
        let map = try Maps.make(width: 8, height: 6) { _, _ in 1 }
        let luma = try LumaImage(width: 8, height: 6, pixels: [UInt8](repeating: 9, count: 48))
        func add(_ ticks: Int64, _ map: DepthMap, _ luma: LumaImage?) throws(DepthError) {
            try analysis.add(VideoKeyframe(sample: 0, ticks: ticks, depth: map, luma: luma))
        }
        try add(0, map, luma)
        for ticks in [0, -1, .min, .max] as [Int64] {
            #expect(throws: DepthError.self) { try add(ticks, map, luma) }
        }
        let turned = try Maps.make(width: 6, height: 8) { _, _ in 1 }
        #expect(throws: DepthError.self) { try add(1, turned, luma) }
        #expect(throws: DepthError.self) { try add(1, map, try? LumaImage(width: 6, height: 8, pixels: [UInt8](repeating: 9, count: 48))) }
        for ticks in 1..<200 { try add(Int64(ticks), map, nil) }
        #expect(throws: DepthError.self) { try add(200, map, luma) }
        #expect(analysis.finish(endTicks: 200).keyframes == 200)
    }
}
