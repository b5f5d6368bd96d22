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
