/// A word around a value of unknown origin, which templates set apart.
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
