import CaptureProtocol
import Foundation
import Models
import TestSupport
import Testing

@testable import Site

@Suite("Depth section")
struct DepthViewTests {
    @Test("the relief's bar says three-dimensional only where the verdict does")
    func relief() throws {
        let real = try #require(gauges(.real, relief: 0.37).first?.context)
        #expect(real["fill"] as? String == "zone" && real["from"] as? String == "33.33%" && real["pin"] as? String == "61.67%")
        #expect(real["length"] as? String == "28.33%" && real["number"] as? String == "37 %" && real["round"] as? Bool == false)
        #expect(real["lines"] as? [String] == ["16.67%", "33.33%"])
        let flat = try #require(gauges(.flat, relief: 0.37).first?.context)
        #expect(flat["fill"] as? String == "fill" && flat["from"] as? String == "0%" && flat["length"] as? String == "61.67%")
    }

    @Test("a scene that is real by what stands out in front is not refuted by the words about its relief", arguments: Language.allCases)
    func inFront(language: Language) throws {
        let evidence = Samples.Evidence(relief: 0.14, front: 0.12)
        let bar = try #require(Gauge.all(evidence.package.depthAnalysis, resources.strings(language)).first?.context)
        // Its pin is between the thresholds, where no zone is drawn.
        #expect(bar["fill"] as? String == "fill" && bar["length"] as? String == "23.33%" && bar["pin"] as? String == "23.33%")
        let html = try Samples.html(Samples.record(evidence, kind: .photo), language)
        let (strings, isEnglish) = (resources.strings(language), language == .english)
        #expect(html.contains(strings("depth.real")) && html.contains(strings("dp.pass", ["n": "14"])))
        #expect(html.contains(strings("dp.parts", ["f": "12", "b": "2"])))
        let exception = isEnglish ? "enough stands out in front" : "sobresale bastante por delante"
        #expect(html.contains(exception))
        #expect(resources.strings(language, .video)("m.relief.text").contains(exception))
        #expect(!strings("dp.parts").contains(isEnglish ? "Reported only" : "Solo se informa"))
        #expect(strings("how.depth.p4").contains(isEnglish ? "What lies in front counts" : "Lo que queda delante cuenta"))
    }

    @Test("what was not measured has no bar; what lies beyond the end is held there with its own number")
    func ends() {
        #expect(gauges(.undecided, relief: nil).count == 3)
        #expect(gauges(.real, relief: 3).first?.pin == 100 && gauges(.real, relief: 3).first?.number == "300 %")
        #expect(gauges(.real, relief: -.infinity).first?.pin == 0)
        #expect(gauges(.real, relief: 0.37).map(\.number) == ["37 %", "0.92 m", "5", "87 %"])
        #expect(gauges(.real, relief: 0.37, .spanish).map(\.number)[1] == "0,92 m")
        #expect(abs(gauges(.real, relief: 0.37)[1].pin - 42.9) < 0.1)
    }

    @Test("the scale has its ends in metres, its ticks where the logarithm puts them, and text only where it fits")
    func scale() throws {
        let view = depth(scale: (0.4, 3.6))
        let picture = try #require((view["verdict"] as? ViewContext)?["picture"] as? ViewContext)
        let scale = try #require(picture["scale"] as? ViewContext)
        #expect(scale["near"] as? String == "0.4 m near" && scale["far"] as? String == "far 3.6 m")
        let ticks = try #require(scale["ticks"] as? [ViewContext])
        #expect(ticks.map { $0["x"] as? String } == ["10.2%", "41.7%", "73.2%"])
        #expect(ticks.map { $0["text"] as? String } == [nil, "1 m", "2 m"])
    }

    @Test("a scale that is none is left out", arguments: [(0.0, 1.0), (2, 1), (1, .infinity), (.nan, 1)])
    func noScale(near: Double, far: Double) throws {
        let picture = try #require((depth(scale: (near, far))["verdict"] as? ViewContext)?["picture"] as? ViewContext)
        #expect(picture["scale"] == nil)
    }

    @Test("a missing depth picture is said to be missing, where one is to be expected")
    func missing() {
        #expect(depth(picture: nil)["missing"] as? String == "The depth picture is not available.")
        #expect(depth(picture: nil, expects: false)["missing"] == nil)
    }

    @Test("a photo whose measurements are noise is told so, not that they are too few", arguments: Language.allCases)
    func noise(language: Language) throws {
        let evidence = Samples.Evidence(depth: .inconclusive, depthReason: .notASurface, verdict: .undecided, relief: 0.6)
        let html = try Samples.html(Samples.record(evidence, .medium, kind: .photo), language)
        let strings = resources.strings(language, .photo)
        #expect(html.components(separatedBy: strings("dp.noise")).count == 3, "in the section and in the row")
        #expect(!html.contains(strings("depth.undecided.is")) && html.contains("60 %"))
        #expect(try Samples.html(Samples.record(named: "low"), language).contains(strings("depth.undecided.is")))
    }

    private func gauges(_ verdict: DepthVerdict, relief: Double?, _ language: Language = .english) -> [Gauge] {
        Gauge.all(Samples.Evidence(verdict: verdict, relief: relief).package.depthAnalysis, resources.strings(language))
    }

    private func depth(
        picture: PublishedMedia? = Samples.media()[.depthPreview], scale: (near: Double, far: Double)? = nil, expects: Bool = true
    ) -> ViewContext {
        var depth = Samples.Evidence().package.depthAnalysis
        depth.previewScale = scale.map { DepthPreviewScale(near: $0.near, far: $0.far) }
        return DepthView(
            depth: depth, picture: picture, expectsPicture: expects, isSensorConfirmed: true, strings: resources.strings(.english)
        )
        .context()
    }
}
