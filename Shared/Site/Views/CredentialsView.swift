import CaptureProtocol
import Models

/// The Content Credentials section: who issued them, downloads, digests; or why there are none.
struct CredentialsView: Sendable {
    static let outsideTool = "https://contentcredentials.org/verify"
    let record: PublicRecord
    let credentials: ContentCredentialsEvidence
    let strings: StringTable

    func context() -> ViewContext {
        var view: ViewContext = [:]
        let formatter = ValueFormatter(strings: strings)
        let copy = isEmbedded ? record.signedCopy : nil
        var entries: [ViewContext] = []
        if isEmbedded {
            if let issuer = UntrustedText(record.issuer) { entries.append(["name": strings("cc.issuer"), "value": issuer.shown]) }
            entries.append(["name": strings("cc.generator"), "value": Product.generator])
            if let signedAt = record.signedAt { entries.append(["name": strings("cc.signed"), "value": formatter.second(signedAt)]) }
        }
        entries.append(["name": strings("cc.digest.original"), "digest": record.mediaHash.hex])
        if let copy { entries.append(["name": strings("cc.digest.copy"), "digest": copy.sha256.hex]) }
        view["facts"] = ["entries": entries] as ViewContext
        var links: [ViewContext] = []
        if let copy { links.append(["href": copy.link, "text": strings("cc.get", ["size": formatter.size(copy.sizeBytes)])]) }
        if isEmbedded, let manifest = record.media[.manifest] {
            links.append(["href": manifest.link, "text": strings("cc.get.manifest", ["size": formatter.size(manifest.sizeBytes)])])
        }
        if !links.isEmpty {
            view["downloads"] = ["links": links] as ViewContext
            view["outside"] = Self.outsideTool
        }
        view["notice"] = notice
        return view
    }

    private var isEmbedded: Bool { credentials.status == .embedded && record.kind.mode.storesMedia }

    private var notice: String? {
        if !record.kind.mode.storesMedia { return withheld("cc.withheld.hash") }
        switch (credentials.status, credentials.reason?.known) {
        case (.embedded, _): return nil
        case (.pending, _): return record.log?.isRevoked == true ? withheld("cc.withheld.revoked") : strings("cc.pending")
        case (.withheld, .suspicious): return withheld("cc.withheld.suspicious")
        case (.withheld, _): return withheld("cc.withheld.hardware")
        case (.unavailable, .photoUnreadable), (.unavailable, .photoNotSignable): return withheld("cc.withheld.photo")
        case (.unavailable, .pictureMissing), (.unavailable, .digestMismatch): return withheld("cc.withheld.stored")
        case (.unavailable, _): return withheld("cc.withheld.other")
        }
    }

    private func withheld(_ reason: String) -> String { strings("cc.withheld", ["reason": strings(reason)]) }
}
