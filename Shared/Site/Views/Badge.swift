import Models

/// The confidence level, or the progress of the checks.
enum Badge: Sendable, Equatable {
    /// - Parameter test: whether the attestation is a development one.
    case level(ConfidenceLevel, test: Bool)
    case processing
    case failed

    static let levels: [ConfidenceLevel] = [.high, .medium, .low, .suspicious]

    func context(_ strings: StringTable) -> ViewContext {
        switch self {
        case .level(let level, let test):
            // The text marks the emphasised word with two asterisks.
            let parts = strings("badge.\(level.rawValue)").split(separator: "*", maxSplits: 2, omittingEmptySubsequences: false).map(
                String.init)
            guard parts.count == 3 else {
                return Self.plain(level.rawValue, Self.icon(level), strings("badge.\(level.rawValue)"), test: test)
            }
            return [
                "level": level.rawValue, "icon": Self.icon(level), "before": parts[0], "value": parts[1], "after": parts[2], "test": test,
            ]
        case .processing: return Self.plain("proc", "ring", strings("badge.proc"), test: false)
        case .failed: return Self.plain("failed", "dash", strings("badge.failed"), test: false)
        }
    }

    /// For titles and descriptions.
    func text(_ strings: StringTable) -> String {
        switch self {
        case .level(let level, _): strings("badge.\(level.rawValue)").replacing("*", with: "")
        case .processing: strings("badge.proc")
        case .failed: strings("badge.failed")
        }
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
