import Foundation
import Testing

@testable import CaptureProtocol

@Suite("Depth that a device measured and signed")
struct SignedDepthTests {
    private static let flags = MetadataFlags(location: .none, timestamp: .none, device: .none)

    private func field(_ depth: SignedDepth) -> String? { HashOnlyPayloadTests.payload(Self.flags, depth: depth).refusedDepthField }

    @Test(
        "has the verdict of the analyzer's rule",
        arguments: [
            (SignedDepth.room(), DepthVerdict.real), (.room(relief: 0.21, front: 0, behind: 0.21), .real),
            (.room(relief: 0.20, front: 0, behind: 0.20), .undecided), (.room(relief: 0.15, front: 0.10, behind: 0.05), .real),
            (.room(relief: 0.15, front: 0.09, behind: 0.06), .undecided), (.room(relief: 0.15, front: nil, behind: nil), .undecided),
            (.room(deviation: 0.5, relief: 0.15, front: 0.10, behind: 0.05), .undecided),
            (.room(layers: 2, relief: 0.15, front: 0.10, behind: 0.05), .undecided),
            (.room(coherence: 0.7, relief: 0.15, front: 0.10, behind: 0.05), .undecided),
            (.room(relief: 0.09, front: 0.09, behind: 0), .flat), (.room(reason: .notASurface), .undecided),
            (.room(relief: nil, front: nil, behind: nil, reason: .tooFewValid), .undecided),
        ])
    func verdict(depth: SignedDepth, verdict: DepthVerdict) {
        #expect(depth.verdict == verdict)
        #expect(field(depth) == nil)
    }

    @Test(
        "is refused if no depth map could have these numbers",
        arguments: [
            (SignedDepth.room(deviation: 1.7), "depth_variance"), (.room(deviation: -0.1), "depth_variance"),
            (.room(layers: 0), "depth_layers"), (.room(layers: 33), "depth_layers"),
            (.room(deviation: 0, layers: 2, range: (1, 1)), "depth_layers"), (.room(coherence: 1.1), "edge_coherence"),
            (.room(range: (0.09, 4.1)), "min_depth"), (.room(range: (0.8, 20.1)), "min_depth"), (.room(range: (4.1, 0.8)), "min_depth"),
            (.room(range: nil), "coverage"), (.room(range: nil, coverage: 0), "depth_variance"),
            (.room(deviation: 0, range: nil, coverage: 0), "depth_layers"),
            (.room(deviation: 0, layers: 0, range: nil, coverage: 0), "reason"), (.room(coverage: 0), "coverage"),
            (.room(coverage: 0.2), "reason"), (.room(coverage: 0.2, reason: .notASurface), "reason"), (.room(coverage: 1.1), "coverage"),
            (.room(relief: 0.6), "relief"), (.room(relief: -0.1, front: nil, behind: nil), "relief"),
            (.room(relief: 0.15, front: 5, behind: -4.85), "relief_front"), (.room(front: 0.6, behind: nil), "relief_front"),
            (.room(front: nil, behind: 0.6), "relief_behind"), (.room(relief: nil, front: nil, behind: nil), "reason"),
            (.room(relief: nil, reason: .notASurface), "relief"), (.room(edges: 2), "photo_edges_on_surface"),
            (.room(reason: .noLiDAR), "reason"),
        ])
    func implausible(depth: SignedDepth, field: String) { #expect(self.field(depth) == "depth_analysis.\(field)") }

    @Test("is accepted without any valid pixel")
    func nothing() {
        let depth = SignedDepth.room(
            deviation: 0, layers: 0, coherence: 0, range: nil, relief: nil, front: nil, behind: nil, edges: nil, coverage: 0,
            reason: .tooFewValid)
        #expect(field(depth) == nil && depth.verdict == .undecided)
    }

    @Test(
        "is a closed form, and its claim must agree with the numbers",
        arguments: [
            ("\"is_likely_real_scene\": true", "\"is_likely_real_scene\": false", "is_likely_real_scene"),
            ("\"is_likely_real_scene\": true", "\"is_likely_real_scene\": null", "is_likely_real_scene"),
            ("\"is_likely_real_scene\": true", "\"is_likely_real_scene\": 1", "is_likely_real_scene"),
            ("relief-2", "relief-1", "method"), ("\"reason\": null", "\"reason\": \"\"", "reason"),
            ("\"coverage\": 0.97, ", "", "coverage"), ("\"relief_front\": 0.3", "\"relief_front\": null", "relief_front"),
            ("\"relief\": 0.5", "\"relief\": true", "relief"), ("\"relief\": 0.5", "\"relief\": 1e999", "relief"),
            ("\"depth_layers\": 4", "\"depth_layers\": 4.5", "depth_layers"),
            ("\"reason\": null", "\"reason\": null, \"verdict\": \"real\"", "verdict"),
        ])
    func form(part: String, changed: String, field: String) {
        let text = HashOnlyRefusalTests.depth.replacingOccurrences(of: part, with: changed)
        #expect(text != HashOnlyRefusalTests.depth)
        let document = """
            {"version": 1, "media_type": "photo", "media_hash": "\(String(repeating: "ab", count: 32))", "metadata": {}, \
            "metadata_flags": {"location": "none", "timestamp": "none", "device": "none"}, "depth_analysis": \(text)}
            """
        #expect(
            refusedDepthField { () throws(HashOnlyError) in _ = try HashOnlyPayload.parse(Array(document.utf8)) }
                == "depth_analysis.\(field)")
    }
}

/// The member of the depth that is refused; `nil` if none is.
private func refusedDepthField(_ body: () throws(HashOnlyError) -> Void) -> String? {
    do throws(HashOnlyError) {
        try body()
        return nil
    } catch {
        guard case .depth(let found) = error else { return "not of the depth" }
        return found.field
    }
}

extension HashOnlyPayload {
    fileprivate var refusedDepthField: String? {
        CaptureProtocolTests.refusedDepthField { () throws(HashOnlyError) in _ = try bytes() }
    }
}
