import CaptureProtocol

/// The section that says where a record stands in the public log, who saw it there, and offers the evidence file.
struct EntryView: Sendable {
    let log: RecordLog
    let strings: StringTable

    func context(of capture: CaptureID) -> ViewContext {
        let formatter = ValueFormatter(strings: strings)
        // All rows are there from the beginning, so that nothing moves when they are filled.
        var view: ViewContext = [
            "state": state(formatter), "seen": log.state == .witnessed, "taken_back": log.isRevoked, "origin": log.entry?.origin ?? "—",
            "number": "—", "has_witnesses": !log.witnesses.isEmpty,
            "witnesses": log.witnesses.map { ["name": $0.name, "time": formatter.second($0.at)] as ViewContext },
        ]
        if !log.earlier.isEmpty {
            view["has_earlier"] = true
            view["earlier"] = log.earlier.map { verdict in
                [
                    "badge": Badge.level(verdict.confidence, test: false).text(strings), "time": formatter.second(verdict.at) ?? "—",
                    "methods": verdict.methods.sorted { $0.key < $1.key }.map(\.value).joined(separator: ", "),
                ] as ViewContext
            }
        }
        if let entry = log.entry {
            view["number"] = strings(
                "entry.of",
                [
                    "n": formatter.number(Double(entry.index), digits: 0), "size": formatter.number(Double(entry.treeSize), digits: 0),
                ])
        }
        if log.hasBundle { view["get"] = APIPath.bundle(of: capture) }
        return view
    }

    private func state(_ formatter: ValueFormatter) -> String {
        switch log.state {
        case .pending: strings("entry.pending")
        case .logged: strings("entry.logged")
        case .alone: strings(log.witnesses.isEmpty ? "entry.alone" : "entry.alone.seen")
        case .witnessed: strings("entry.witnessed", ["t": log.witnessedAt.flatMap { formatter.second($0) } ?? "—"])
        case .unavailable: strings("entry.unavailable")
        }
    }
}
