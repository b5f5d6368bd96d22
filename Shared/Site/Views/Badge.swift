import Models

/// The confidence level, or the progress of the checks.
enum Badge: Sendable, Equatable {
    /// - Parameter test: whether the attestation is a development one.
    case level(ConfidenceLevel, test: Bool)
    /// There was a level, and it does not count any more.
    case takenBack(test: Bool)
    case processing
    case failed

    static let levels: [ConfidenceLevel] = [.high, .medium, .low, .suspicious]

    /// - Parameter isRevoked: whether the verdict was taken back.
    init(_ level: ConfidenceLevel, isRevoked: Bool, test: Bool) { self = isRevoked ? .takenBack(test: test) : .level(level, test: test) }

    func context(_ strings: StringTable) -> ViewContext {
        switch self {
        case .level(let level, let test): Self.marked(level.rawValue, Self.icon(level), strings, test: test)
        case .takenBack(let test): Self.marked("revoked", "cross", strings, test: test)
        case .processing: Self.plain("proc", "ring", strings("badge.proc"), test: false)
        case .failed: Self.plain("failed", "dash", strings("badge.failed"), test: false)
        }
    }

    /// For titles and descriptions.
    func text(_ strings: StringTable) -> String {
        switch self {
        case .level(let level, _): strings("badge.\(level.rawValue)").replacing("*", with: "")
        case .takenBack: strings("badge.revoked").replacing("*", with: "")
        case .processing: strings("badge.proc")
        case .failed: strings("badge.failed")
        }
    }

    /// The text marks the emphasised word with two asterisks.
    private static func marked(_ level: String, _ icon: String, _ strings: StringTable, test: Bool) -> ViewContext {
        let text = strings("badge.\(level)")
        let parts = text.split(separator: "*", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3 else { return plain(level, icon, text, test: test) }
        return ["level": level, "icon": icon, "before": parts[0], "value": parts[1], "after": parts[2], "test": test]
    }

    private static func plain(_ level: String, _ icon: String, _ text: String, test: Bool) -> ViewContext {
        ["level": level, "icon": icon, "before": text, "value": "", "after": "", "test": test]
    }

    private static func icon(_ level: ConfidenceLevel) -> String {
        switch level {
        case .high: "bars3"
        case .medium: "bars2"
        case .low: "bars1"
        case .suspicious: "alert"
        }
    }
}

extension CheckStatus {
    /// The CSS class.
    var styleClass: String {
        switch self {
        case .pass: "pass"
        case .fail: "fail"
        case .inconclusive: "ask"
        case .unavailable: "none"
        }
    }

    var icon: String {
        switch self {
        case .pass: "check"
        case .fail: "cross"
        case .inconclusive: "ask"
        case .unavailable: "dash"
        }
    }

    /// In the order of the tally.
    static let counted: [CheckStatus] = [.fail, .pass, .inconclusive, .unavailable]
}
