import Models

/// What the drop zone's script takes its answers from, on every page that has one.
enum FileParts {
    static func context(_ words: WordTable) -> ViewContext {
        [
            "badges": Badge.levels.map { Badge.level($0, test: false).context(words) },
            "tallies": [CheckStatus.pass, .fail, .inconclusive, .unavailable].map { status -> ViewContext in
                [
                    "status": status.rawValue, "class": status.styleClass, "icon": status.icon, "text": words("tally.\(status.styleClass)"),
                ]
            },
            "foreigns": ForeignCase.allCases.map { foreign -> ViewContext in
                [
                    "case": foreign.rawValue, "class": foreign.status.styleClass, "icon": foreign.status.icon,
                    "state": words("c2.\(foreign.rawValue).state"), "sentence": words("c2.\(foreign.rawValue)"),
                    "shows": foreign.mayBeRepeated,
                ]
            },
            "with_badges": true, "with_file": true,
        ]
    }
}

/// What can be said of the Content Credentials of a file that is not on record.
enum ForeignCase: String, CaseIterable, Sendable {
    case trusted, valid, invalid, expired, unreadable, remote

    init(_ info: ManifestInfo) {
        let failures = info.validationCodes.filter { $0.kind == "failure" }.map(\.code)
        let state = ForeignCase(rawValue: info.validationState) ?? .unreadable
        // A certificate that ran out is not the same as a file that changed.
        let hasRunOut =
            failures.contains("signingCredential.expired")
            && failures.allSatisfy { $0 == "signingCredential.expired" || $0 == "signingCredential.untrusted" }
        self = state == .invalid && hasRunOut ? .expired : state
    }

    var status: CheckStatus {
        switch self {
        case .trusted: .pass
        case .valid, .expired: .inconclusive
        case .invalid: .fail
        case .unreadable, .remote: .unavailable
        }
    }

    /// Whether anything that the manifest says may be shown as a fact.
    var mayBeRepeated: Bool { self == .trusted || self == .valid }
}
