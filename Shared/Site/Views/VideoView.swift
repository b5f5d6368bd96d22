import CaptureProtocol
import Foundation
import Models

/// The player of a video (SPEC §10.10).
struct VideoView: Sendable {
    let record: PublicRecord
    let evidence: EvidencePackage
    let facts: VideoFacts
    let strings: StringTable
    /// Pixels for showing.
    private let size: (width: Int, height: Int)

    /// - Returns: `nil` for a photo, and for a video of which only the hash is known.
    init?(_ record: PublicRecord, _ evidence: EvidencePackage, _ strings: StringTable) {
        guard let facts = evidence.video, let width = facts.width, let height = facts.height else { return nil }
        size = (facts.rotation ?? 0) % 180 == 0 ? (width, height) : (height, width)
        self.record = record
        self.evidence = evidence
        self.facts = facts
        self.strings = strings
    }

    var isWide: Bool { size.width > size.height }

    /// The depth of all keyframes, to be laid over the picture.
    var sheet: DepthSheet? { DepthSheet(evidence.depthAnalysis.temporal, record.media[.depthFrames]) }

    /// - Returns: `nil` if no video is published.
    func context() -> ViewContext? {
        guard let copy = MediaName.publicVideos.lazy.compactMap({ record.media[$0] }).first else { return nil }
        var sources: [ViewContext] = [["src": copy.link, "type": type(facts.codecs), "of": "media_url"]]
        let playback = record.media[.playback]
        if let playback { sources.append(["src": playback.link, "type": "video/mp4", "of": "playback_url"]) }
        var view: ViewContext = [
            "sources": sources, "width": size.width, "height": size.height, "label": strings("video.label"),
            "record": APIPath.capture(record.id),
        ]
        view["poster"] = record.media[.poster]?.link
        if playback != nil {
            // Content Credentials or the phone's signature.
            let isSigned = record.media[.signedVideo] != nil || evidence.signatureCovers.contains(.video)
            view["copy"] = strings(isSigned ? "video.copy" : "video.copy.unsigned")
        } else if facts.codec == "hevc" {
            view["copy"] = strings("video.nocopy")
        }
        if let chain = evidence.hashChain {
            view["line"] = TimeLine(chain: chain, facts: facts, temporal: evidence.depthAnalysis.temporal, strings: strings).context()
        }
        if var veil = sheet?.context {
            veil["length"] = max(1, facts.durationMilliseconds)
            view["veil"] = veil
        }
        return view
    }

    /// Without codecs that a header could not hold.
    private func type(_ codecs: String?) -> String {
        guard let codecs, !codecs.isEmpty, codecs.utf8.allSatisfy({ (0x20..<0x7f).contains($0) && $0 != 0x22 && $0 != 0x5c }) else {
            return "video/mp4"
        }
        return "video/mp4; codecs=\"\(codecs)\""
    }
}
