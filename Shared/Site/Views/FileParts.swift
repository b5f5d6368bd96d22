import Models

/// The texts for the drop zone's script, on all pages with a drop zone.
enum FileParts {
    static func context(_ strings: StringTable) -> ViewContext {
        [
            "badges": (Badge.levels.map { Badge.level($0, test: false) } + [.takenBack(test: false)]).map { $0.context(strings) },
            "tallies": [CheckStatus.pass, .fail, .inconclusive, .unavailable].map { status -> ViewContext in
                [
                    "status": status.rawValue, "class": status.styleClass, "icon": status.icon,
                    "text": strings("tally.\(status.styleClass)"), "one": strings("tally.\(status.styleClass).one"),
                ]
            },
            "titles": FileResultView.titles.map { key -> ViewContext in ["case": key, "title": strings(key)] },
            "foreigns": CredentialsFinding.allCases.map { finding -> ViewContext in
                [
                    "case": finding.rawValue, "class": finding.status.styleClass, "icon": finding.status.icon,
                    "state": strings("c2.\(finding.rawValue).state"), "sentence": strings("c2.\(finding.rawValue)"),
                    "shows": finding.mayBeRepeated,
                ]
            },
            "with_badges": true, "with_file": true,
        ]
    }
}
