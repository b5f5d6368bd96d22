import Models

/// One check as the page tells it: a line, and what is behind it.
struct CheckRow: Sendable {
    enum Check: String, Sendable, CaseIterable { case hardware, depth, time, model, size, location }
    let check: Check
    let status: CheckStatus
    let detail: String
    var paragraphs: [String] = []
    /// What the hardware signature covers, in words, each with whether it does.
    var covers: [(part: String, isCovered: Bool)] = []
    var caveat: String?
    var isOpen = false

    /// The address on the page.
    var anchor: String { "check-\(check.rawValue)" }

    func context(_ words: WordTable) -> ViewContext {
        var row: ViewContext = [
            "row": anchor, "class": status.styleClass, "icon": status.icon, "name": words("ck.\(check.rawValue)"),
            "word": words("st.\(status.rawValue)"), "detail": detail, "open": isOpen, "paragraphs": paragraphs,
        ]
        switch status {
        case .fail: row["why"] = words("st.fail.why")
        case .inconclusive: row["why"] = words("st.inconclusive.why")
        case .pass, .unavailable: break
        }
        if !covers.isEmpty {
            let parts = covers.map { part, isCovered -> ViewContext in
                let status = isCovered ? CheckStatus.pass : .unavailable
                return [
                    "class": status.styleClass, "icon": status.icon, "part": isCovered ? part : words("bind.not", ["x": part]),
                ]
            }
            row["covers"] = ["parts": parts] as ViewContext
        }
        row["caveat"] = caveat
        return row
    }

    /// How many checks ended in which way, each with the first such row's address.
    static func tally(_ rows: [CheckRow], _ words: WordTable) -> [ViewContext] {
        CheckStatus.counted.compactMap { status in
            let such = rows.filter { $0.status == status }
            guard let first = such.first else { return nil }
            return [
                "class": status.styleClass, "icon": status.icon, "text": words("tally.\(status.styleClass)", ["n": String(such.count)]),
                "row": first.anchor,
            ]
        }
    }
}
