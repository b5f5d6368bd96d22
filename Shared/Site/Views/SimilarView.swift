import CaptureProtocol
import Models

/// The section that lists captures of the same file.
struct SimilarView: Sendable {
    let similar: SimilarCaptures
    let strings: StringTable

    /// - Parameter this: the page's own capture, shown without a link.
    func context(of this: CaptureID) -> ViewContext {
        let formatter = ValueFormatter(strings: strings)
        let items = similar.captures.map { capture in
            var item = Badge(capture.confidence, isRevoked: capture.isRevoked, test: capture.isDevelopment).context(strings)
            item["when"] = formatter.minute(capture.capturedAt).map { strings("similar.item", ["t": $0]) } ?? strings("fact.notime")
            item["where"] = UntrustedText(capture.place)?.shown
            item["unsigned"] = !capture.isSigned
            if capture.id != this { item["href"] = PagePath.capture(capture.id) }
            return item
        }
        var view: ViewContext = ["why": strings("similar.why", ["n": String(similar.devices)]), "items": items]
        if similar.isCut { view["cut"] = strings("similar.cut", ["n": String(items.count)]) }
        return view
    }
}
