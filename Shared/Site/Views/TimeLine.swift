import CaptureProtocol
import Foundation
import Models

/// The line under a video that says which part is verified: by colour, pattern and words (SPEC §10.10).
struct TimeLine: Sendable {
    let chain: HashChainEvidence
    let facts: VideoFacts
    let temporal: VideoDepthMeasurements?
    let strings: StringTable

    /// - Returns: `nil` for a video without a duration.
    func context() -> ViewContext? {
        guard chain.durationMilliseconds > 0 else { return nil }
        let text = ChainText(chain, facts, strings)
        let verified = share(chain.verifiedMilliseconds)
        var view: ViewContext = [
            "told": text.sentence, "verified": Self.percent(verified),
            "ticks": chain.checkpoints.map {
                ["x": Self.percent(share($0.timeMilliseconds)), "signed": chain.isSigned($0)] as ViewContext
            },
            "end": strings("video.seconds", ["s": ValueFormatter(strings: strings).number(seconds, digits: 1)]),
            "some": verified > 0, "rest": verified < 100,
        ]
        view["reason"] = text.reason
        if !chain.checkpoints.isEmpty { view["checkpoints"] = true }
        if let cut { view["cut"] = Self.percent(cut) }
        let doubtful = temporal?.doubtful ?? []
        view["marks"] = doubtful.map { ["x": Self.percent(share(Int64($0.timeMilliseconds)))] as ViewContext }
        switch doubtful.count {
        case 0: break
        case 1: view["doubts"] = strings("video.doubts.one")
        case let count: view["doubts"] = strings("video.doubts", ["n": "\(count)"])
        }
        return view
    }

    /// How long the whole video is, rounded down to tenths: nothing is said to be longer than it is.
    private var seconds: Double { Double(chain.durationMilliseconds / 100) / 10 }

    /// Where the chain breaks. Frames need not be equally long, so this is nearly the place.
    private var cut: Double? {
        guard chain.status == .fail, let frame = chain.breakAtFrame, chain.totalFrames > 0 else { return nil }
        return min(100, max(0, Double(frame) * 100 / Double(chain.totalFrames)))
    }

    /// In percent of the duration, 0...100.
    private func share(_ milliseconds: Int64) -> Double {
        min(100, max(0, Double(milliseconds) * 100 / Double(chain.durationMilliseconds)))
    }

    private static func percent(_ value: Double) -> String { String(format: "%.4g%%", value) }
}

extension VideoDepthMeasurements {
    /// The keyframes that are flat, do not agree with the one before, or repeat it.
    var doubtful: [VideoFrameAnalysis] {
        let suspicious = Set(suspiciousFrames)
        return frameAnalyses.filter { $0.verdict == .flat || suspicious.contains($0.frame) }
    }
}

/// What the chain of a video shows, in words.
struct ChainText: Sendable {
    let sentence: String
    /// Why, where something is missing or wrong.
    let reason: String?

    init(_ chain: HashChainEvidence, _ facts: VideoFacts, _ strings: StringTable) {
        switch (chain.status, chain.reason?.known) {
        case (.pass, _):
            sentence = chain.totalFrames == 1 ? strings("video.all.one") : strings("video.all", ["n": "\(chain.totalFrames)"])
            reason = nil
        case (.fail, _):
            sentence =
                switch chain.breakAtFrame {
                case nil: strings("video.break.other")
                case 0: strings("video.break.first")
                case let frame?: strings("video.break", ["n": "\(frame)"])
                }
            reason = strings("video.break.why")
        case (_, .partial):
            sentence = Self.part(chain.verifiedMilliseconds, of: chain.durationMilliseconds, strings)
            reason = strings("video.part.why")
        case (_, .reportedOnly):
            sentence = strings("video.reported")
            reason = strings("video.reported.why")
        case (_, .mediaNotStored):
            sentence = strings("video.notstored")
            reason = strings("size.private.more")
        case (_, .unsigned), (_, .chainMismatch), (_, nil):
            sentence = strings("video.unsigned")
            reason = strings("video.unsigned.why")
        }
    }

    /// How much of a partial recording is verified, both in milliseconds. Told in whole seconds or, where these are equal, in as many
    /// decimals as tell the part from the whole.
    private static func part(_ verified: Int64, of whole: Int64, _ strings: StringTable) -> String {
        let units: [Int64] = [1000, 100, 10, 1]
        let digits = units.firstIndex { verified / $0 < whole / $0 } ?? 0
        if digits == 0, verified < 1000 { return strings("video.part.none", ["b": "\(whole / 1000)"]) }
        // Rounded down: a second is verified once all of it is.
        func seconds(_ milliseconds: Int64) -> String {
            let unit = units[digits]
            return ValueFormatter(strings: strings).number(Double(milliseconds / unit * unit) / 1000, digits: digits)
        }
        return strings("video.part", ["a": seconds(verified), "b": seconds(whole)])
    }
}
