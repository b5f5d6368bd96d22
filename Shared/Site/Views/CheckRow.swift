import Models

/// One check on the page: a summary line, and details.
struct CheckRow: Sendable {
    enum Check: String, Sendable, CaseIterable { case hardware, chain, depth, time, model, size, location }
    let check: Check
    let status: CheckStatus
    let detail: String
    var paragraphs: [String] = []
    /// The parts that the hardware signature may cover, as display text, each with whether it is covered.
    var covers: [(part: String, isCovered: Bool)] = []
    var caveat: String?
    var isOpen = false

    /// The fragment identifier of the row.
    var anchor: String { "check-\(check.rawValue)" }

    func context(_ strings: StringTable) -> ViewContext {
        var row: ViewContext = [
            "row": anchor, "class": status.styleClass, "icon": status.icon, "name": strings("ck.\(check.rawValue)"),
            "word": strings("st.\(status.rawValue)"), "detail": detail, "open": isOpen, "paragraphs": paragraphs,
        ]
        switch status {
        case .fail: row["why"] = strings("st.fail.why")
        case .inconclusive: row["why"] = strings("st.inconclusive.why")
        case .pass, .unavailable: break
        }
        if !covers.isEmpty {
            let parts = covers.map { part, isCovered -> ViewContext in
                let status = isCovered ? CheckStatus.pass : .unavailable
                return [
                    "class": status.styleClass, "icon": status.icon, "part": isCovered ? part : strings("bind.not", ["x": part]),
                ]
            }
            row["covers"] = ["parts": parts] as ViewContext
        }
        row["caveat"] = caveat
        return row
    }

    /// Counts the rows by status, each with a link to the first such row.
    static func tally(_ rows: [CheckRow], _ strings: StringTable) -> [ViewContext] {
        CheckStatus.counted.compactMap { status in
            let such = rows.filter { $0.status == status }
            guard let first = such.first else { return nil }
            let key = "tally.\(status.styleClass)"
            return [
                "class": status.styleClass, "icon": status.icon, "row": first.anchor,
                "text": such.count == 1 ? strings(key + ".one") : strings(key, ["n": String(such.count)]),
            ]
        }
    }
}
