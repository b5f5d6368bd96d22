import CaptureProtocol
import Foundation
import Models
import Testing

@Suite("The rule for videos")
struct VideoRuleTests {
    typealias Change = @Sendable (inout VideoDepthRule.Measurements) -> Void

    private static let good: VideoDepthRule.Measurements = {
        var measured = VideoDepthRule.Measurements()
        (measured.realShare, measured.depthConsistency, measured.sceneStability) = (1, 0.95, 1)
        (measured.motionCoherence, measured.edgeAlignment) = (0.9, 0.1)
        return measured
    }()

    private static let cases: [(Change, String)] = [
        ({ _ in }, "real"),
        ({ $0.isDecodable = false }, "video_undecodable"),
        ({ ($0.isDecodable, $0.isCovered) = (false, false) }, "video_undecodable"),
        ({ $0.isCovered = false }, "too_few_keyframes"),
        ({ $0.invalidShare = 0.5 }, "too_few_valid"),
        ({ $0.invalidShare = 0.49 }, "real"),
        ({ ($0.flatShare, $0.realShare) = (0.5, 0.1) }, "flat"),
        ({ ($0.flatShare, $0.realShare) = (0.5, 0.11) }, "low_relief"),
        ({ ($0.flatShare, $0.realShare) = (0.49, 0) }, "low_relief"),
        ({ $0.realShare = 0.49 }, "low_relief"),
        ({ $0.realShare = 0.5 }, "real"),
        ({ $0.flatShare = 0.1 }, "real"),
        ({ $0.flatShare = 0.11 }, "partly_flat"),
        ({ $0.hasFlatRun = true }, "partly_flat"),
        ({ $0.identicalShare = 0.2 }, "real"),
        ({ $0.identicalShare = 0.21 }, "frozen_depth"),
        ({ $0.depthConsistency = 0.8 }, "real"),
        ({ $0.depthConsistency = 0.79 }, "unstable_depth"),
        ({ ($0.depthConsistency, $0.sceneStability) = (nil, nil) }, "unstable_depth"),
        ({ $0.sceneStability = 0.9 }, "real"),
        ({ $0.sceneStability = 0.89 }, "unstable_depth"),
        ({ $0.motionCoherence = 0.5 }, "real"),
        ({ $0.motionCoherence = 0.49 }, "depth_not_of_video"),
        ({ $0.motionCoherence = nil }, "real"),
        ({ $0.edgeAlignment = nil }, "depth_not_of_video"),
        ({ $0.edgeAlignment = 0.029 }, "depth_not_of_video"),
        ({ ($0.edgeAlignment, $0.motionCoherence) = (0.03, 0.7) }, "real"),
        ({ ($0.edgeAlignment, $0.motionCoherence) = (0.049, 0.69) }, "depth_not_of_video"),
        ({ ($0.edgeAlignment, $0.motionCoherence) = (0.049, nil) }, "depth_not_of_video"),
        ({ ($0.edgeAlignment, $0.motionCoherence) = (0.05, 0.5) }, "real"),
    ]

    @Test("decides by the first condition that applies", arguments: cases.indices)
    func verdict(index: Int) {
        let (change, expected) = Self.cases[index]
        var measured = Self.good
        change(&measured)
        let (verdict, reason) = VideoDepthRule.verdict(measured)
        #expect((reason?.rawValue ?? verdict.rawValue) == expected)
        #expect((reason != nil) == (verdict == .undecided))
    }

    @Test("knows each of its reasons again by the word, and no other reason of the depth check")
    func reasons() {
        for reason in VideoDepthReason.allCases { #expect(VideoDepthReason(rawValue: reason.rawValue) == reason) }
        #expect(DepthReason.allCases.count { VideoDepthReason(rawValue: $0.rawValue) != nil } == VideoDepthReason.allCases.count)
    }

    @Test("knows the four thresholds of the specification, which are to be exceeded, and 80 % of the keyframes")
    func specified() {
        let changes: [(Change, Bool)] = [
            ({ _ in }, true), ({ $0.depthConsistency = 0.8 }, false), ({ $0.motionCoherence = 0.7 }, false),
            ({ $0.motionCoherence = nil }, false), ({ $0.sceneStability = 0.9 }, false), ({ $0.realShare = 0.8 }, true),
            ({ $0.realShare = 0.79 }, false),
        ]
        for (change, isMet) in changes {
            var measured = Self.good
            change(&measured)
            #expect(VideoDepthRule.isMetAsSpecified(measured) == isMet)
        }
    }

    @Test("has its measurements written with unknown ones as null")
    func json() throws {
        let frame = VideoFrameAnalysis(frame: 3, timeMilliseconds: 100, relief: nil, verdict: .undecided, agreement: nil)
        let result = VideoDepthMeasurements(
            depthConsistency: nil, motionCoherence: nil, sceneStability: nil, edgeAlignment: nil, realShare: 0, flatShare: 0,
            suspiciousFrames: [3], frameAnalyses: [frame], relief: nil, minDepth: nil, maxDepth: nil, coverage: 0, verdict: .undecided,
            specifiedRule: false, method: VideoDepthRule.method, reason: .tooFewKeyframes, rotation: 0, framing: .whole)
        let json = String(decoding: try WireJSON.encode(result), as: UTF8.self)
        #expect(
            json == """
                {"coverage":0,"depth_consistency":null,"edge_alignment":null,"flat_share":0,\
                "frame_analyses":[{"agreement":null,"frame":3,"relief":null,"time_ms":100,"verdict":"undecided"}],"framing":"whole",\
                "is_likely_real_scene":false,"keyframes":1,"max_depth":null,"method":"relief-video-1","min_depth":null,\
                "motion_coherence":null,"real_share":0,"reason":"too_few_keyframes","relief":null,"rotation":0,"scene_stability":null,\
                "specified_rule":false,"suspicious_frames":[3],"verdict":"undecided"}
                """)
        #expect(try WireJSON.decode(VideoDepthMeasurements.self, from: Array(json.utf8)) == result)
    }
}
