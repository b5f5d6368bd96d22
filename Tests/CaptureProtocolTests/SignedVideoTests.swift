import Foundation
import TestSupport
import Testing

@testable import CaptureProtocol

@Suite("Videos that a device describes and signs")
struct SignedVideoTests {
    /// What is sent of a video, as text.
    private static func document(_ change: (inout [String: Any]) -> Void = { _ in }) throws -> [UInt8] {
        let bytes = try HashOnlySamples.video().bytes()
        var members = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        change(&members)
        return Array(try JSONSerialization.data(withJSONObject: members))
    }

    private func refusal(_ bytes: [UInt8]) -> (field: String, isOfDepth: Bool)? {
        do throws(HashOnlyError) {
            _ = try HashOnlyPayload.parse(bytes)
            return nil
        } catch {
            switch error {
            case .metadata(let found): return (found.field, false)
            case .depth(let found): return (found.field, true)
            }
        }
    }

    /// The member of the depth that is refused.
    private func field(_ change: (inout SignedVideoDepth) -> Void) throws -> String? {
        var depth = HashOnlySamples.videoDepth
        change(&depth)
        let bytes = try WireJSON.encode(HashOnlySamples.video(depth: depth, durationMilliseconds: depth.durationMilliseconds))
        guard let refused = refusal(bytes) else { return nil }
        #expect(refused.isOfDepth)
        return String(refused.field.dropFirst("depth_analysis.".count))
    }

    @Test("are read as they were written, in a few hundred bytes, with or without depth")
    func roundTrip() throws {
        for payload in [HashOnlySamples.video(), HashOnlySamples.video(depth: nil)] {
            let bytes = try payload.bytes()
            #expect(try HashOnlyPayload.parse(bytes) == payload && bytes.count < 1500)
            #expect(payload.kind == .hashOnlyVideo && payload.depth == nil)
        }
        #expect(HashOnlySamples.payload().kind == .hashOnly)
    }

    @Test("fit the limit with the most keyframes, all of them suspicious")
    func most() throws {
        var depth = HashOnlySamples.videoDepth
        (depth.keyframes, depth.suspiciousFrames) = (200, Array(800..<1000))
        #expect(try HashOnlySamples.video(depth: depth, frames: 1000).bytes().count < SizeLimits.hashOnlyPayload)
    }

    @Test("have exactly their members")
    func form() throws {
        let hash = String(repeating: "ab", count: 32)
        func refused(_ change: (inout [String: Any]) -> Void) throws -> String? { refusal(try Self.document(change))?.field }
        #expect(try refused { $0["video"] = nil } == "video")
        #expect(try refused { $0["media_type"] = "photo" } == "video")
        #expect(try refused { $0["media_type"] = "sound" } == "media_type")
        let wrong: [(String, [String: Any])] = [
            ("duration_ms", ["duration_ms": 0, "frame_count": 60, "final_hash": hash]),
            ("duration_ms", ["duration_ms": 15_501, "frame_count": 60, "final_hash": hash]),
            ("duration_ms", ["duration_ms": 1.5, "frame_count": 60, "final_hash": hash]),
            ("frame_count", ["duration_ms": 2000, "frame_count": 1001, "final_hash": hash]),
            ("frame_count", ["duration_ms": 2000, "frame_count": 0, "final_hash": hash]),
            ("final_hash", ["duration_ms": 2000, "frame_count": 60, "final_hash": "ab"]),
            ("final_hash", ["duration_ms": 2000, "frame_count": 60]),
            ("codec", ["duration_ms": 2000, "frame_count": 60, "final_hash": hash, "codec": "h264"]),
        ]
        for (field, video) in wrong { #expect(try refused { $0["video"] = video } == "video.\(field)") }
    }

    @Test("have depth whose numbers fit each other")
    func plausibility() throws {
        #expect(try field { _ in } == nil)
        #expect(try field { $0.realShare = 0.96 } == "real_share")
        #expect(try field { $0.flatShare = 0.1 } == "flat_share")
        #expect(try field { $0.depthConsistency = 1.2 } == "depth_consistency")
        #expect(try field { $0.edgeAlignment = -1.1 } == "edge_alignment")
        #expect(try field { $0.relief = nil } == "relief")
        #expect(try field { $0.depthConsistency = nil } == "depth_consistency")
        #expect(try field { $0.minDepth = nil } == "min_depth")
        #expect(try field { $0.maxDepth = 20.1 } == "min_depth")
        #expect(try field { $0.coverage = 0 } == "coverage")
        #expect(try field { $0.coverage = 0.2 } == "coverage", "a keyframe is judged by 30 % of its pixels or more")
        #expect(try field { $0.coverage = 0.3 } == nil)
        #expect(try field { $0.keyframes = 61 } == "keyframes")
        #expect(try field { $0.suspiciousFrames = [9, 9] } == "suspicious_frames")
        #expect(try field { $0.suspiciousFrames = [60] } == "suspicious_frames")
    }

    @Test("are judged by the analyzer's rule: a reason that the numbers do not give is refused")
    func verdict() throws {
        var depth = HashOnlySamples.videoDepth
        #expect(depth.verdict == .real && depth.isMetAsSpecified)
        #expect(try field { $0.reason = .unstableDepth } == "reason")
        #expect(try field { $0.depthConsistency = 0.7 } == "reason", "it must say why nothing is decided")
        #expect(
            try field {
                $0.depthConsistency = 0.7
                $0.reason = .unstableDepth
            } == nil)
        #expect(
            try field {
                $0.edgeAlignment = nil
                $0.reason = .depthNotOfVideo
            } == nil)
        let few = 4
        #expect(
            try field {
                ($0.keyframes, $0.realShare, $0.flatShare, $0.suspiciousFrames) = (few, 1, 0, [])
            } == "reason", "the rule decides nothing with so few")
        #expect(
            try field {
                ($0.keyframes, $0.realShare, $0.flatShare, $0.suspiciousFrames) = (few, 1, 0, [])
                $0.reason = .tooFewKeyframes
            } == nil)
        // What only the device saw.
        for reason in [VideoDepthReason.videoUndecodable, .tooFewKeyframes, .tooFewValid, .frozenDepth, .partlyFlat] {
            #expect(try field { $0.reason = reason } == nil)
            depth.reason = reason
            #expect(depth.verdict == .undecided)
        }
        (depth.reason, depth.realShare, depth.flatShare) = (nil, 0.1, 0.9)
        #expect(depth.verdict == .flat)
    }

    @Test(
        "need as many keyframes for their duration as the analyzer does",
        arguments: [(15_000, 5, false), (1250, 5, true), (1251, 5, false), (5000, 20, true), (5001, 20, false)])
    func covered(duration: Int, keyframes: Int, isCovered: Bool) throws {
        func change(_ depth: inout SignedVideoDepth) {
            (depth.durationMilliseconds, depth.keyframes, depth.realShare, depth.flatShare) = (duration, keyframes, 1, 0)
        }
        #expect(try field(change) == (isCovered ? nil : "reason"))
        #expect(
            try field {
                change(&$0)
                $0.reason = .tooFewKeyframes
            } == nil)
    }

    @Test("that an older rule accepted stay readable, and are undecided where the rule of today contradicts them")
    func accepted() throws {
        let changes: [(VideoDepthReason, (inout SignedVideoDepth) -> Void)] = [
            (.tooFewKeyframes, { ($0.keyframes, $0.realShare, $0.flatShare) = (5, 1, 0) }), (.tooFewValid, { $0.coverage = 0.01 }),
        ]
        for (reason, change) in changes {
            var depth = HashOnlySamples.videoDepth
            (depth.durationMilliseconds, depth.suspiciousFrames) = (4000, [])
            change(&depth)
            let sent = HashOnlySamples.video(depth: depth, durationMilliseconds: depth.durationMilliseconds)
            let bytes = Array(
                String(decoding: try WireJSON.encode(sent), as: UTF8.self)
                    .replacing(#""is_likely_real_scene":false"#, with: #""is_likely_real_scene":true"#).utf8)
            #expect(refusal(bytes)?.isOfDepth == true)
            let read = try #require(try HashOnlyPayload.parse(accepted: bytes).video?.depth)
            #expect(read == depth && read.verdict == .undecided && read.reasonOfRule == reason)
        }
        let bytes = try HashOnlySamples.video().bytes()
        #expect(try HashOnlyPayload.parse(accepted: bytes) == HashOnlyPayload.parse(bytes))
    }

    @Test("may not claim another verdict than the numbers give")
    func claim() throws {
        let refused = refusal(
            try Self.document { members in
                var depth = members["depth_analysis"] as? [String: Any] ?? [:]
                depth["is_likely_real_scene"] = false
                members["depth_analysis"] = depth
            })
        #expect(refused?.field == "depth_analysis.is_likely_real_scene" && refused?.isOfDepth == true)
    }
}
