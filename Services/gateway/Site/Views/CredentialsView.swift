import Models

/// The Content Credentials section: who issued them, downloads, digests; or why there are none.
struct CredentialsView: Sendable {
    /// As the claim's generator (SPEC §7).
    static let generator = "rial./1.0.0"
    static let outsideTool = "https://contentcredentials.org/verify"
    let facts: CaptureFacts
    let credentials: ContentCredentialsEvidence
    let words: WordTable

    func context() -> ViewContext {
        var view: ViewContext = [:]
        let formats = Formats(words: words)
        let copy = isEmbedded ? facts.media[.signedCopy] : nil
        var entries: [ViewContext] = []
        if isEmbedded {
            if let issuer = UntrustedText(facts.issuer) { entries.append(["name": words("cc.issuer"), "value": issuer.shown]) }
            entries.append(["name": words("cc.generator"), "value": Self.generator])
            if let signedAt = facts.signedAt { entries.append(["name": words("cc.signed"), "value": formats.second(signedAt)]) }
        }
        entries.append(["name": words("cc.digest.original"), "digest": facts.mediaHash.hex])
        if let copy { entries.append(["name": words("cc.digest.copy"), "digest": copy.sha256.hex]) }
        view["facts"] = ["entries": entries] as ViewContext
        var links: [ViewContext] = []
        if let copy { links.append(["href": copy.link, "text": words("cc.get", ["size": formats.size(copy.sizeBytes)])]) }
        if isEmbedded, let manifest = facts.media[.manifest] {
            links.append(["href": manifest.link, "text": words("cc.get.manifest", ["size": formats.size(manifest.sizeBytes)])])
        }
        if !links.isEmpty {
            view["downloads"] = ["links": links] as ViewContext
            view["outside"] = Self.outsideTool
        }
        view["notice"] = notice
        return view
    }

    private var isEmbedded: Bool { credentials.status == .embedded && facts.kind.mode == .full }

    private var notice: String? {
        if facts.kind.mode == .hashOnly { return withheld("cc.withheld.hash") }
        switch (credentials.status, credentials.reason?.known) {
        case (.embedded, _): return nil
        case (.pending, _): return words("cc.pending")
        case (.withheld, .suspicious): return withheld("cc.withheld.suspicious")
        case (.withheld, _): return withheld("cc.withheld.hardware")
        case (.unavailable, .photoUnreadable), (.unavailable, .photoNotSignable): return withheld("cc.withheld.photo")
        case (.unavailable, _): return withheld("cc.withheld.signing")
        }
    }

    private func withheld(_ reason: String) -> String { words("cc.withheld", ["reason": words(reason)]) }
}
