import CaptureProtocol
import Foundation
import Models

/// The player of a video, and the line under it that says which part is verified (SPEC §10.10).
struct VideoView: Sendable {
    let record: PublicRecord
    let evidence: EvidencePackage
    let facts: VideoFacts
    let strings: StringTable
    private var formatter: ValueFormatter { ValueFormatter(strings: strings) }

    /// - Returns: `nil` for a photo.
    init?(_ record: PublicRecord, _ evidence: EvidencePackage, _ strings: StringTable) {
        guard let facts = evidence.video else { return nil }
        self.record = record
        self.evidence = evidence
        self.facts = facts
        self.strings = strings
    }

    /// Pixels for showing.
    private var size: (width: Int, height: Int) {
        facts.rotation % 180 == 0 ? (facts.width, facts.height) : (facts.height, facts.width)
    }

    var isWide: Bool { size.width > size.height }

    func context() -> ViewContext? {
        let copy = MediaName.publicVideos.lazy.compactMap { record.media[$0] }.first
        guard let copy else { return nil }
        var sources: [ViewContext] = [["src": copy.link, "type": type(facts.codecs)]]
        if let playback = record.media[.playback] { sources.append(["src": playback.link, "type": "video/mp4"]) }
        var view: ViewContext = ["sources": sources, "width": size.width, "height": size.height, "label": strings("video.label")]
        if let poster = record.media[.poster] { view["poster"] = poster.link }
        if record.media[.playback] != nil {
            view["copy"] = strings("video.copy")
        } else if facts.codec == "hevc" {
            view["copy"] = strings("video.nocopy")
        }
        view["line"] = timeLine()
        return view
    }

    private func type(_ codecs: String?) -> String {
        guard let codecs, codecs.utf8.allSatisfy({ (0x20..<0x7f).contains($0) && $0 != 0x22 }) else { return "video/mp4" }
        return "video/mp4; codecs=\"\(codecs)\""
    }

    /// Positions in percent of the duration.
    private func timeLine() -> ViewContext? {
        guard let chain = evidence.hashChain, chain.durationMilliseconds > 0 else { return nil }
        func place(_ milliseconds: Int64) -> String {
            String(format: "%.2f%%", min(100, max(0, Double(milliseconds) * 100 / Double(chain.durationMilliseconds))))
        }
        let temporal = evidence.depthAnalysis.temporal
        let doubtful = (temporal?.frameAnalyses ?? []).filter { analysis in
            analysis.verdict == .flat || temporal?.suspiciousFrames.contains(analysis.frame) == true
        }
        var view: ViewContext = [
            "told": ChainText(chain, facts, strings).sentence, "verified": place(chain.verifiedMilliseconds),
            "ticks": chain.checkpoints.map { ["x": place($0.timeMilliseconds)] as ViewContext },
            "marks": doubtful.map { ["x": place(Int64($0.timeMilliseconds))] as ViewContext },
            "end": strings("video.seconds", ["s": "\(chain.durationMilliseconds / 1000)"]),
        ]
        if !doubtful.isEmpty { view["doubts"] = strings("video.doubts", ["n": "\(doubtful.count)"]) }
        return view
    }
}

/// What the chain of a video shows, in words.
struct ChainText: Sendable {
    let sentence: String
    /// Why, where something is missing or wrong.
    let reason: String?

    init(_ chain: HashChainEvidence, _ facts: VideoFacts, _ strings: StringTable) {
        let seconds = ["a": "\(chain.verifiedMilliseconds / 1000)", "b": "\(chain.durationMilliseconds / 1000)"]
        switch (chain.status, chain.reason?.known) {
        case (.pass, _):
            sentence = strings("video.all", ["n": "\(chain.totalFrames)"])
            reason = nil
        case (.fail, _):
            sentence = chain.breakAtFrame.map { strings("video.break", ["n": "\($0)"]) } ?? strings("video.break.other")
            reason = strings("video.break.why")
        case (_, .partial):
            sentence = strings("video.part", seconds)
            reason = strings("video.part.why")
        case (_, .reportedOnly):
            sentence = strings("video.reported")
            reason = strings("video.reported.why")
        case (_, .mediaNotStored):
            sentence = strings("video.notstored")
            reason = nil
        case (_, .unsigned), (_, .chainMismatch), (_, nil):
            sentence = strings("video.unsigned")
            reason = strings("video.unsigned.why")
        }
    }
}
