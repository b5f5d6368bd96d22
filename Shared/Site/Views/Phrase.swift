/// Text around a value of unknown origin, which templates set apart.
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
    /// The text around the one value that it has.
    func phrase(_ key: String, _ name: String, _ value: UntrustedText) -> Phrase {
        let halves = self(key).split(separator: "{\(name)}", maxSplits: 1, omittingEmptySubsequences: false)
        return Phrase(
            before: halves.first.map(String.init) ?? "", value: value.shown, after: halves.dropFirst().first.map(String.init) ?? "",
            whole: value.whole)
    }
}
