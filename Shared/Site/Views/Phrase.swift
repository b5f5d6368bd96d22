/// Text around an untrusted value, which templates isolate.
struct Phrase: Sendable, Equatable {
    let before: String
    let value: String
    let after: String
    /// The uncut value, only if ``value`` is cut.
    var whole: String?

    var context: ViewContext {
        var context: ViewContext = ["before": before, "value": value, "after": after]
        context["whole"] = whole
        return context
    }
}

extension StringTable {
    /// The text before and after its only placeholder.
    func phrase(_ key: String, _ name: String, _ value: UntrustedText) -> Phrase {
        let halves = self(key).split(separator: "{\(name)}", maxSplits: 1, omittingEmptySubsequences: false)
        return Phrase(
            before: halves.first.map(String.init) ?? "", value: value.shown, after: halves.dropFirst().first.map(String.init) ?? "",
            whole: value.whole)
    }
}
