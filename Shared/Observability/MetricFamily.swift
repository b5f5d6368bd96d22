/// A metric's name, type and samples in the Prometheus text format 0.0.4.
enum MetricFamily {
    enum Kind: String { case counter, gauge, histogram }

    /// The lines before a family's samples: HELP, for what ``MetricHelp`` knows, and TYPE.
    static func heading(_ name: String, _ kind: Kind, help: String?) -> String {
        (help.map { "# HELP \(name) \(escape($0))\n" } ?? "") + "# TYPE \(name) \(kind.rawValue)\n"
    }

    static func heading(_ name: String, _ kind: Kind) -> String { heading(name, kind, help: MetricHelp.texts[name]) }

    /// A family of one sample without labels; empty without a value.
    static func text(_ name: String, _ kind: Kind, _ value: Double?) -> String {
        guard let value else { return "" }
        return heading(name, kind) + "\(name) \(Series.number(value))\n"
    }

    /// In a HELP line a quotation mark stands for itself, unlike in the value of a label.
    private static func escape(_ help: String) -> String { help.replacing("\\", with: "\\\\").replacing("\n", with: "\\n") }
}
