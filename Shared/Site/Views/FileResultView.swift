import CaptureProtocol
import Foundation
import Models

/// The result of the form without JavaScript.
struct FileResultView: Sendable {
    let result: FileResult
    let strings: StringTable
    private let formatter: ValueFormatter

    init(result: FileResult, strings: StringTable) {
        self.result = result
        self.strings = strings
        formatter = ValueFormatter(strings: strings)
    }

    func context() -> ViewContext {
        switch result {
        case .known(let file, let digest): ["found": known(file), "digest": digest.hex]
        case .credentials(let info, let digest): ["foreign": credentials(info), "digest": digest.hex]
        case .noRecord(let digest): ["none": true, "digest": digest.hex]
        case .problem(let problem): ["problem": sentence(problem)]
        }
    }

    /// The key of the title for what the file is of its record; `result.js` has the same.
    static func title(_ matched: MediaRole) -> String {
        switch matched {
        case .original: "file.found"
        case .publicCopy: "file.found.public"
        case .signedCopy: "file.found.copy"
        case .manifest: "file.found.manifest"
        case .thumbnail: "file.found.thumb"
        case .poster: "file.found.poster"
        case .playback: "file.found.playback"
        case .depthPreview, .depthFrames: "file.found.depth"
        case .shareCard: "file.found.share"
        }
    }

    /// All of them.
    static let titles: [String] = Set(MediaRole.allCases.map(FileResultView.title)).sorted()

    private func known(_ file: KnownFile) -> ViewContext {
        let hardware = file.evidence?.hardwareAttestation
        var view = Badge(
            file.confidence ?? .low, isRevoked: file.isRevoked, test: hardware?.developmentAttestation ?? false
        ).context(strings)
        view["title"] = strings(Self.title(file.matched))
        let place = UntrustedText(file.evidence?.metadata.locationCoarse)
        let noPlace = strings(file.evidence?.metadata.location.isNotOnEarth == true ? "loc.fail" : "fact.noplace")
        let model = UntrustedText(hardware?.deviceModel)
        let unsigned = file.evidence?.coversMetadata == true ? "" : " · " + strings("fact.unsigned")
        view["facts"] =
            [
                ["name": strings("fact.received"), "value": file.evidence.flatMap { formatter.second($0.processing.receivedAt) } ?? "—"],
                [
                    "name": strings("fact.place"),
                    "value": place.map { strings("fact.city", ["city": $0.isolated]) + unsigned } ?? noPlace,
                ],
                [
                    "name": strings("fact.device"),
                    "value": model.map { strings("fact.reported", ["model": $0.isolated]) + unsigned } ?? strings("fact.nomodel"),
                ],
            ] as [ViewContext]
        view["tally"] = file.evidence.map(tally) ?? []
        view["open"] = PagePath.capture(file.captureID)
        let others = file.others.map { claim in
            var item = Badge(claim.confidence ?? .low, isRevoked: claim.isRevoked, test: claim.isDevelopment).context(strings)
            item["text"] = [strings("similar.open"), formatter.minute(claim.receivedAt)].compactMap(\.self).joined(separator: " · ")
            item["href"] = PagePath.capture(claim.captureID)
            return item
        }
        if !others.isEmpty { view["others"] = ["items": others] as ViewContext }
        return view
    }

    private func tally(_ evidence: EvidencePackage) -> [ViewContext] {
        let rows = CheckRow.Check.allCases.compactMap { check in
            status(of: check, in: evidence).map { CheckRow(check: check, status: $0, detail: "") }
        }
        return CheckRow.tally(rows, strings)
    }

    /// - Returns: `nil` for the chain of a photo.
    private func status(of check: CheckRow.Check, in evidence: EvidencePackage) -> CheckStatus? {
        switch check {
        case .hardware: evidence.hardwareAttestation.status
        case .chain: evidence.video == nil ? nil : evidence.hashChain?.status
        case .depth: evidence.depthAnalysis.status
        case .time: evidence.metadata.timestamp.status
        case .model: evidence.metadata.model.status
        case .size: evidence.metadata.resolution.status
        case .location: evidence.metadata.location.status
        }
    }

    private func credentials(_ info: ManifestInfo) -> ViewContext {
        let finding = CredentialsFinding(info)
        let values = [
            "issuer": UntrustedText(info.issuer)?.isolated ?? strings("c2.nobody"),
            "host": UntrustedText(host(info.remoteURL))?.isolated ?? "?",
        ]
        var view: ViewContext = [
            "class": finding.status.styleClass, "icon": finding.status.icon, "state": strings("c2.\(finding.rawValue).state"),
            "sentence": strings("c2.\(finding.rawValue)", values),
        ]
        if finding.mayBeRepeated {
            let signedAt = info.signedAt.flatMap(Timestamp.parse).map(formatter.second)
            let entries = [
                entry("cc.title", info.title), entry("cc.issuer", info.issuer), entry("cc.generator", info.generator),
                signedAt.map { ["name": strings("cc.signed"), "value": $0] as ViewContext },
            ].compactMap(\.self)
            if !entries.isEmpty { view["manifest"] = ["entries": entries] as ViewContext }
        }
        let codes = info.validationCodes.prefix(100).compactMap { UntrustedText($0.code)?.shown }
        if !codes.isEmpty { view["codes"] = ["list": codes] as ViewContext }
        return view
    }

    /// A label and its text, with the uncut text if it is cut.
    private func entry(_ key: String, _ text: String?) -> ViewContext? {
        guard let text = UntrustedText(text) else { return nil }
        var entry: ViewContext = ["name": strings(key), "value": text.shown]
        entry["whole"] = text.whole
        return entry
    }

    private func host(_ address: String?) -> String? {
        address.flatMap { URL(string: $0) }.flatMap { $0.host(percentEncoded: true) }
    }

    private func sentence(_ problem: FileResult.Problem) -> String {
        switch problem {
        case .tooLarge(let isVideo): strings("file.big", ["limit": "\((isVideo ? SizeLimits.video : SizeLimits.file) >> 20) MB"])
        case .unsupportedType: strings("file.type")
        case .empty: strings("file.empty")
        case .missing: strings("file.missing")
        case .rateLimited(let seconds): strings("file.limit", ["t": formatter.span(seconds)])
        case .unavailable: strings("file.server")
        }
    }
}
