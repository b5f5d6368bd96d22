import CaptureProtocol
import Foundation

/// libFuzzer's entry: the input as the payload of a hash-only capture.
///
/// What is read holds nothing beyond its flags, has numbers that a verdict can be trusted with, and is written to bytes that read the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHashOnlyPayload(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    do throws(HashOnlyError) {
        let payload = try HashOnlyPayload.parse(input)
        precondition(input.count <= SizeLimits.hashOnlyPayload, "too large")
        checkFlags(payload)
        if let depth = payload.depth { checkDepth(depth) }
        if let video = payload.video { checkVideo(video) }
        guard let written = try? payload.bytes(), let again = try? HashOnlyPayload.parse(written).bytes(), again == written else {
            preconditionFailure("read otherwise than written")
        }
    } catch {
        switch error {
        case .metadata(let found), .depth(let found):
            precondition(!found.problem.isEmpty && found.field.utf8.count <= 1000, "an error without a word")
        }
    }
    return 0
}

private func checkFlags(_ payload: HashOnlyPayload) {
    precondition(payload.capturedAt.precision == payload.flags.timestamp, "a time beyond its flag")
    precondition((payload.deviceModel == nil) == (payload.flags.device == .none), "a model beyond its flag")
    precondition(payload.flags.device == .full || (payload.osVersion == nil && payload.appVersion == nil), "versions beyond their flag")
    guard let place = payload.location else { return }
    precondition(place.latitude.isFinite && place.longitude.isFinite, "a place that is not finite")
    precondition(payload.flags.location != .none, "a place beyond its flag")
    precondition(payload.flags.location == .precise || (place.altitude == nil && place.accuracy == nil), "a place finer than its flag")
}

private func checkDepth(_ depth: SignedDepth) {
    let numbers = [
        depth.minDepth, depth.maxDepth, depth.relief, depth.reliefFront, depth.reliefBehind, depth.photoEdgesOnSurface, depth.coverage,
        depth.depthVariance, depth.edgeCoherence,
    ]
    precondition(numbers.compactMap { $0 }.allSatisfy { $0.isFinite && $0 >= 0 && $0 <= 20 }, "a number out of bounds")
    precondition((0...32).contains(depth.depthLayers), "layers out of bounds")
    precondition(depth.reason == nil || depth.verdict == .undecided, "a verdict in spite of a reason")
    precondition(depth.verdict != .real || (depth.relief ?? 0) >= 0.10, "a scene without relief")
    precondition(depth.coverage >= 0.3 || depth.verdict == .undecided, "a verdict on too few pixels")
}

private func checkVideo(_ video: SignedVideo) {
    precondition((1...15_500).contains(video.durationMilliseconds) && (1...1000).contains(video.frameCount), "a video out of bounds")
    guard let depth = video.depth else { return }
    let shares = [
        depth.depthConsistency, depth.motionCoherence, depth.sceneStability, depth.realShare, depth.flatShare, depth.relief, depth.coverage,
    ]
    precondition(shares.compactMap { $0 }.allSatisfy { (0...1).contains($0) }, "a share out of bounds")
    precondition((0...200).contains(depth.keyframes) && depth.suspiciousFrames.count <= depth.keyframes, "keyframes out of bounds")
    precondition(depth.suspiciousFrames.allSatisfy { (0..<video.frameCount).contains($0) }, "a frame that is not there")
    precondition((depth.reason == nil) == (depth.verdict != .undecided), "a verdict in spite of a reason")
    precondition(
        depth.verdict == .undecided || depth.keyframes * 250 >= max(video.durationMilliseconds, 1250), "a verdict on too few keyframes")
    let decided = depth.realShare + depth.flatShare
    precondition(depth.coverage + 1e-6 >= 0.3 * decided, "keyframes that are decided without valid pixels")
}
