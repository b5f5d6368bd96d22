import CaptureProtocol
import Foundation
import Models

/// What became of a file that was sent without JavaScript.
enum FileResult {
    case answer(VerificationAnswer)
    case problem(APIError, declaredBytes: Int?)

    func context(_ words: WordTable) -> ViewContext {
        switch self {
        case .answer(.verified(let found)): ["found": Self.found(found, words), "digest": found.fileHash.hex]
        case .answer(.credentialsOnly(let found)): ["foreign": Self.foreign(found.manifestInfo, words), "digest": found.fileHash.hex]
        case .answer(.noRecord(let digest)): ["none": true, "digest": digest.hex]
        case .problem(let error, let declaredBytes): ["problem": Self.problem(error, declaredBytes, words)]
        }
    }

    private static func found(_ found: VerificationAnswer.Verified, _ words: WordTable) -> ViewContext {
        let hardware = found.evidence?.hardwareAttestation
        var view = Badge.level(found.confidenceLevel ?? .low, test: hardware?.developmentAttestation ?? false).context(words)
        let formats = Formats(words: words)
        let title =
            switch found.matched {
            case .signedCopy, .manifest: "file.found.copy"
            case .thumbnail: "file.found.thumb"
            case .original, .publicCopy, .depthPreview, .shareCard: "file.found"
            }
        view["title"] = words(title)
        let place = UntrustedText(found.evidence?.metadata.locationCoarse)
        let model = UntrustedText(hardware?.deviceModel)
        let unsigned = hardware?.coversMetadata == true ? "" : " · " + words("fact.unsigned")
        view["facts"] =
            [
                ["name": words("fact.received"), "value": found.evidence.map { formats.second($0.processing.receivedAt) } ?? "—"],
                [
                    "name": words("fact.place"),
                    "value": place.map { words("fact.city", ["city": $0.isolated]) + unsigned } ?? words("fact.noplace"),
                ],
                [
                    "name": words("fact.device"),
                    "value": model.map { words("fact.reported", ["model": $0.isolated]) + unsigned } ?? words("fact.nomodel"),
                ],
            ] as [ViewContext]
        view["tally"] = found.evidence.map { tally($0, words) } ?? []
        view["open"] = "/verify/\(found.captureID)"
        let others = found.otherClaims.map { claim in
            var item = Badge.level(claim.confidenceLevel ?? .low, test: claim.developmentAttestation).context(words)
            item["text"] = "\(words("similar.open")) · \(formats.minute(claim.uploadedAt))"
            item["href"] = "/verify/\(claim.captureID)"
            return item
        }
        if !others.isEmpty { view["others"] = ["items": others] as ViewContext }
        return view
    }

    private static func tally(_ evidence: EvidencePackage, _ words: WordTable) -> [ViewContext] {
        let statuses = [
            evidence.hardwareAttestation.status, evidence.depthAnalysis.status, evidence.metadata.timestamp.status,
            evidence.metadata.model.status, evidence.metadata.resolution.status, evidence.metadata.location.status,
        ]
        return CheckRow.tally(zip(CheckRow.Check.allCases, statuses).map { CheckRow(check: $0, status: $1, detail: "") }, words)
    }

    private static func foreign(_ info: ManifestInfo, _ words: WordTable) -> ViewContext {
        let foreign = ForeignCase(info)
        let values = [
            "issuer": UntrustedText(info.issuer)?.isolated ?? words("c2.nobody"),
            "host": UntrustedText(host(info.remoteURL))?.isolated ?? "?",
        ]
        var view: ViewContext = [
            "class": foreign.status.styleClass, "icon": foreign.status.icon, "state": words("c2.\(foreign.rawValue).state"),
            "sentence": words("c2.\(foreign.rawValue)", values),
        ]
        if foreign.mayBeRepeated {
            let signedAt = info.signedAt.flatMap(Timestamp.parse).map { Formats(words: words).second($0) }
            let entries = [
                entry("cc.title", info.title, words), entry("cc.issuer", info.issuer, words), entry("cc.generator", info.generator, words),
                signedAt.map { ["name": words("cc.signed"), "value": $0] as ViewContext },
            ].compactMap(\.self)
            if !entries.isEmpty { view["manifest"] = ["entries": entries] as ViewContext }
        }
        let codes = info.validationCodes.prefix(100).compactMap { UntrustedText($0.code)?.shown }
        if !codes.isEmpty { view["codes"] = ["list": codes] as ViewContext }
        return view
    }

    /// A name and its text, the whole of it too where that is cut.
    private static func entry(_ key: String, _ text: String?, _ words: WordTable) -> ViewContext? {
        guard let text = UntrustedText(text) else { return nil }
        var entry: ViewContext = ["name": words(key), "value": text.shown]
        entry["whole"] = text.whole
        return entry
    }

    private static func host(_ address: String?) -> String? {
        address.flatMap { URL(string: $0) }.flatMap { $0.host(percentEncoded: true) }
    }

    private static func problem(_ error: APIError, _ declaredBytes: Int?, _ words: WordTable) -> String {
        switch error.code {
        case .payloadTooLarge:
            // What was refused below the limit for videos was taken for a picture.
            let isVideo = (declaredBytes ?? 0) > FileIntake.maximumVideoBytes
            return words("file.big", ["limit": isVideo ? "100 MB" : "20 MB"])
        case .unsupportedMediaType: return words("file.type")
        case .validationError where error.details.contains { $0.problem == "is empty" }: return words("file.empty")
        case .validationError: return words("file.missing")
        case .rateLimited: return words("file.limit", ["t": Formats(words: words).span(error.retrySeconds)])
        default: return words("file.server")
        }
    }
}

extension APIError {
    /// What `Retry-After` says, in seconds; a minute where it says nothing.
    var retrySeconds: TimeInterval { headers[.retryAfter].flatMap(TimeInterval.init) ?? 60 }
}
