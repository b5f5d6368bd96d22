import CaptureProtocol
import Models
import Testing

@testable import Evidence

@Suite("Rules")
struct RuleTests {
    static let statuses: [CheckStatus] = [.pass, .fail, .inconclusive, .unavailable]

    /// All 4096 combinations of six checks, against an independent formulation of the rule.
    @Test("any failure is suspicious, otherwise hardware and depth count their passes")
    func confidence() {
        func check(_ number: Int, _ place: Int) -> CheckStatus { Self.statuses[number >> (2 * place) & 3] }
        for number in 0..<4096 {
            let all = (0..<6).map { check(number, $0) }
            let level = ConfidenceRule.confidence(hardware: all[0], depth: all[1], metadata: Array(all[2...]))
            if all.contains(.fail) {
                #expect(level == .suspicious)
            } else {
                #expect(level == [.low, .medium, .high][all[..<2].count { $0 == .pass }])
            }
        }
    }

    @Test(
        "needs no metadata checks",
        arguments: [
            (.pass, .pass, .high), (.pass, .inconclusive, .medium), (.unavailable, .pass, .medium), (.unavailable, .unavailable, .low),
            (.fail, .pass, .suspicious),
        ] as [(CheckStatus, CheckStatus, ConfidenceLevel)])
    func bare(hardware: CheckStatus, depth: CheckStatus, level: ConfidenceLevel) {
        #expect(ConfidenceRule.confidence(hardware: hardware, depth: depth, metadata: []) == level)
    }

    @Test(
        "derives the depth status from verdict and binding",
        arguments: [
            (nil, nil, .unavailable, nil), (nil, .photo, .unavailable, nil), (nil, .photoDepth, .unavailable, nil),
            (nil, .photoDepthMetadata, .unavailable, nil),
            (.real, nil, .pass, nil), (.real, .photo, .inconclusive, .depthNotSigned), (.real, .photoDepth, .pass, nil),
            (.real, .photoDepthMetadata, .pass, nil),
            (.flat, nil, .inconclusive, .flatSurface), (.flat, .photo, .inconclusive, .flatSurface),
            (.flat, .photoDepth, .inconclusive, .flatSurface), (.flat, .photoDepthMetadata, .inconclusive, .flatSurface),
            (.undecided, nil, .inconclusive, .undecided), (.undecided, .photo, .inconclusive, .undecided),
            (.undecided, .photoDepth, .inconclusive, .undecided), (.undecided, .photoDepthMetadata, .inconclusive, .undecided),
        ] as [(DepthVerdict?, AssertionBinding?, CheckStatus, DepthReason?)])
    func depth(verdict: DepthVerdict?, binding: AssertionBinding?, status: CheckStatus, reason: DepthReason?) {
        let result = DepthStatusRule.status(verdict: verdict, binding: binding)
        #expect(result.status == status && result.reason == reason)
        let reshaped = DepthStatusRule.status(verdict: verdict, binding: binding, hasSensorShape: false)
        let isOpen = verdict == .real && binding == .photoDepth
        let expected: (status: CheckStatus, reason: DepthReason?) = isOpen ? (.inconclusive, .depthNotSigned) : (status, reason)
        #expect(reshaped.status == expected.status && reshaped.reason == expected.reason)
    }
}
