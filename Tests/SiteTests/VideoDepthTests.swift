import CaptureProtocol
import Foundation
import Models
import TestSupport
import Testing

@testable import Site

@Suite("Depth of a video")
struct VideoDepthTests {
    private func html(_ video: Samples.Video) throws -> String { try Samples.html(video.record) }

    @Test("the picture of all keyframes has the tiles of the depth analyzer: fewer than ten in a row if there are fewer")
    func sheet() throws {
        let many = try html(Samples.Video())
        #expect(many.contains("class=\"veil\" width=\"128\" height=\"96\"") && many.contains("data-columns=\"10\""))
        #expect(many.contains("data-frames=\"0r30 100r31 200r32 ") && many.contains("data-length=\"12500\""))
        let few = try Samples.html(Samples.video(named: "few keyframes"))
        #expect(few.contains("width=\"128\" height=\"96\" data-sheet=\"/media/"))
        #expect(try Samples.html(Samples.video(named: "upright")).contains("class=\"veil\" width=\"96\" height=\"128\""))
    }

    @Test("a picture that does not have a tile for each keyframe is not used")
    func unfit() throws {
        let record = Samples.Video().record
        let temporal = try #require(record.evidence?.depthAnalysis.temporal)
        func sheet(_ size: PixelSize?) -> DepthSheet? {
            DepthSheet(temporal, PublishedMedia(sha256: Samples.digest, sizeBytes: 1, link: "/media/x", size: size))
        }
        #expect(sheet(PixelSize(1280, 1248))?.tile == PixelSize(128, 96))
        #expect(sheet(PixelSize(1281, 1248)) == nil && sheet(PixelSize(1280, 1250)) == nil && sheet(nil) == nil)
        #expect(DepthSheet(nil, nil) == nil)
    }

    @Test("without the picture of all keyframes there is the preview, the chart and its table, and nothing to scrub")
    func noSheet() throws {
        let html = try Samples.html(Samples.video(named: "no depth frames"))
        #expect(html.contains("depth-preview.png") && html.contains("<polyline") && html.contains("The same as a table, by the second"))
        #expect(!html.contains("id=\"scrub\"") && !html.contains("<canvas") && !html.contains("id=\"veil\""))
    }

    @Test("the chart has every keyframe at its time and relief, and the table says the same by the second")
    func chart() throws {
        let html = try html(Samples.Video().changed { ($0.flat, $0.suspicious) = ([2], [2, 5]) })
        // 30 % of 60 % at 0 s; 3 % of 60 % at 0.2 s.
        #expect(html.contains("<polyline points=\"0,50 8,48 16,95 "))
        #expect(html.contains("<tbody><tr><td>0 s<td>3–39 %<td>9<td>1<td>2<tr><td>1 s<td>30–39 %<td>10<td>0<td>0"))
        #expect(html.contains("<tr><td>12 s<td>30–34 %<td>5<td>0<td>0</tbody>"))
        #expect(html.contains("200f3 300r33 400r34 500r35! 600r36"))
        #expect(html.contains("<circle cx=\"1.6%\" cy=\"95%\" r=\"4\"/>"))
        #expect(html.contains("aria-label=\"Relief in 125 keyframes, from 3 % to 39 %\""))
        #expect(html.contains("id=\"scrub\" min=\"0\" max=\"124\""))
    }

    @Test("a keyframe just below or above a threshold is not told as at it, by the script either")
    func threshold() throws {
        var temporal = Samples.Video().temporal
        for (number, relief) in [0.0996, 0.2004, 0.1].enumerated() { temporal.frameAnalyses[number].relief = relief }
        let media = PublishedMedia(sha256: Samples.digest, sizeBytes: 1, link: "/media/x", size: PixelSize(1280, 1248))
        let frames = try #require(DepthSheet(temporal, media)?.context["frames"] as? String)
        #expect(frames.hasPrefix("0r9.9 100r20.1 200r10 300r33 "))
        let chart = ReliefChart(temporal: temporal, durationMilliseconds: 12_500, strings: resources.strings(.english))
        let view = try #require(chart.context(canBeScrubbed: true))
        #expect(view["label"] as? String == "Relief in 125 keyframes, from 9.9 % to 39 %")
    }

    @Test("keyframes that were not measured interrupt the line; a value beyond the chart is held at its edge")
    func gaps() throws {
        let frames = [0.9, nil, 0.3, 0.3, nil, .nan].enumerated().map { number, relief in
            VideoFrameAnalysis(frame: number, timeMilliseconds: number * 100, relief: relief, verdict: .undecided, agreement: nil)
        }
        var temporal = Samples.Video().temporal
        temporal.frameAnalyses = frames
        let chart = ReliefChart(temporal: temporal, durationMilliseconds: 1000, strings: resources.strings(.english))
        #expect(chart.context(canBeScrubbed: false)?["lines"] as? [String] == ["0,10 0,10", "200,70 300,70", "500,100 500,100"])
        temporal.frameAnalyses = Array(frames.prefix(3))
        #expect(label(of: temporal) == "Relief in 2 keyframes, from 30 % to 90 %", "those that were measured")
        temporal.frameAnalyses = Array(frames.prefix(2))
        #expect(label(of: temporal) == "Relief in one keyframe, 90 %")
        temporal.frameAnalyses = []
        #expect(
            ReliefChart(temporal: temporal, durationMilliseconds: 1, strings: resources.strings(.english)).context(canBeScrubbed: true)
                == nil)
        #expect(
            ReliefChart(temporal: Samples.Video().temporal, durationMilliseconds: 0, strings: resources.strings(.english))
                .context(canBeScrubbed: true) == nil)
    }

    private func label(of temporal: VideoDepthMeasurements) -> String? {
        ReliefChart(temporal: temporal, durationMilliseconds: 1000, strings: resources.strings(.english))
            .context(canBeScrubbed: false)?["label"] as? String
    }

    @Test("relief beyond the gauge's end is in the chart: then it reaches to 100 %")
    func high() throws {
        var temporal = Samples.Video().temporal
        func lines() -> [String]? {
            ReliefChart(temporal: temporal, durationMilliseconds: 12_500, strings: resources.strings(.english))
                .context(canBeScrubbed: false)?["lines"] as? [String]
        }
        #expect(lines()?.first?.hasPrefix("0,50 ") == true)
        temporal.frameAnalyses[1].relief = 0.72
        #expect(lines()?.first?.hasPrefix("0,70 8,28 ") == true)
    }

    @Test("the four numbers over time are explained, each at its place; one that was not measured is said to be so")
    func numbers() throws {
        let gauges = Gauge.temporal(Samples.Video().temporal, resources.strings(.english))
        #expect(gauges.map(\.name) == ["Depth consistency", "Scene stability", "Motion coherence", "Edge alignment"])
        #expect(gauges.map(\.number) == ["95 %", "98 %", "91 %", "0.083"])
        #expect(gauges.map { $0.pin.rounded() } == [95, 98, 91, 53])
        let still = try Samples.html(Samples.video(named: "undecided"))
        #expect(still.contains("Motion coherence was not measured: too little moved that could be followed."))
        #expect(!still.contains("<h3>Motion coherence"))
    }

    @Test(
        "motion is not said to be too little where depth and pictures could not be compared",
        arguments: [
            (DepthReason.videoUndecodable, false), (.tooFewKeyframes, false), (.lowRelief, true), (.depthNotOfVideo, true),
        ])
    func motion(reason: DepthReason, isSaid: Bool) throws {
        let record = Samples.Video().changed {
            ($0.verdict, $0.depth, $0.depthReason, $0.confidence) = (.undecided, .inconclusive, reason, .medium)
            $0.coherence = nil
        }.record
        for language in Language.allCases {
            let html = try Samples.html(record, language)
            #expect(html.contains(resources.strings(language, .video)("m.coherence.none")) == isSaid)
        }
    }

    @Test(
        "each reason has its sentence in the depth section and in the row, in every language",
        arguments: [
            DepthReason.videoUndecodable, .tooFewKeyframes, .lowRelief, .partlyFlat, .frozenDepth, .unstableDepth, .depthNotOfVideo,
        ], Language.allCases)
    func reasons(reason: DepthReason, language: Language) throws {
        let record = Samples.Video().changed {
            ($0.verdict, $0.depth, $0.depthReason, $0.confidence) = (.undecided, .inconclusive, reason, .medium)
        }.record
        let key = try #require(DepthReasonText.key(reason.rawValue))
        let html = try Samples.html(record, language)
        #expect(html.components(separatedBy: resources.strings(language, .video)(key)).count == 3)
    }

    @Test("a depth map that is repeated is not said to be repeated over and over", arguments: Language.allCases)
    func frozen(language: Language) {
        #expect(!resources.strings(language, .video)("dp.video.frozen").contains(#/over and over|una y otra vez/#))
    }

    @Test("depth that is signed only at the beginning is said to be so")
    func partlySigned() throws {
        #expect(
            try Samples.html(Samples.video(named: "partial")).contains("Depth is signed only as far as the beginning of the recording is."))
        #expect(
            try Samples.html(Samples.video(named: "partial")).contains("3D scene, signed only at the beginning, computed on the server"))
        #expect(try Samples.html(Samples.video(named: "partial")).contains("<p class=\"told ask\">"))
        #expect(try html(Samples.Video()).contains("<p class=\"told pass\">"))
    }

    @Test(
        "depth beside a failed hardware check is not said to be unsigned, since the signature may cover it",
        arguments: [HardwareReason.deviceRevoked, .counterReplay, .counterOrder, .checkpointInvalid], [CaptureMode.full, .hashOnly])
    func besideFailure(reason: HardwareReason, mode: CaptureMode) throws {
        let record = Samples.Video().changed { video in
            video.mode = mode
            video.status = mode == .full ? .inconclusive : .unavailable
            video.reason = mode == .full ? .unsigned : .mediaNotStored
            (video.verified, video.signed, video.confidence) = (0, 0, .suspicious)
            (video.depth, video.depthReason) = (.inconclusive, .depthNotSigned)
            video.evidence = Samples.Evidence(hardware: .fail, hardwareReason: reason)
        }.record
        for (language, told) in [
            (Language.english, "The hardware attestation failed, so the depth cannot count, computed on the"),
            (.spanish, "La atestación de hardware falló y la profundidad no puede contar, calculado en el"),
        ] {
            let (html, strings) = (try Samples.html(record, language), resources.strings(language, .video))
            #expect(html.contains(told))
            for key in ["dp.unbound", "dp.unbound.more"] { #expect(!html.contains(strings(key)), "\(key)") }
        }
    }

    @Test(
        "a sensor is claimed only for depth that is signed to its end",
        arguments: [("whole", true), ("partial", false), ("unsigned", false)])
    func sensor(name: String, isSigned: Bool) throws {
        let html = try Samples.html(Samples.video(named: name))
        #expect(html.contains("Measured by the phone’s LiDAR sensor when the video was taken.") == isSigned)
        #expect(html.contains("Depth data that was sent with the video.") != isSigned)
    }

    @Test("a present method is not called an earlier one")
    func method() throws {
        #expect(try !html(Samples.Video()).contains("An earlier method judged this record"))
    }

    @Test("the methodology names what videos add, what defeats them, and their methods", arguments: Language.allCases)
    func methodology(language: Language) throws {
        let html = try makePages().html(makePages().methodology(language), language)
        #expect(html.contains("id=\"videos\"") && html.contains("href=\"#videos\""))
        #expect(html.contains("relief-video-1") && html.contains("relief-2") && html.contains("chain-2"))
    }
}
