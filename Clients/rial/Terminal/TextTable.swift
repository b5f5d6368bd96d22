/// Lines of cells, aligned in columns for a terminal.
struct TextTable {
    private var rows: [[String]] = []
    private let indent: String

    /// - Parameter header: the first row, underlined; none if empty.
    init(header: [String] = [], indent: String = "") {
        self.indent = indent
        guard !header.isEmpty else { return }
        rows = [header, header.map { String(repeating: "─", count: Self.printable($0).count) }]
    }

    mutating func add(_ cells: String...) { rows.append(cells) }
    mutating func add(_ cells: [String]) { rows.append(cells) }

    /// Each column is as wide as its widest cell, with two spaces between columns and none at the end.
    var text: String {
        let rows = rows.map { $0.map(Self.printable) }
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            var line = indent
            for (column, cell) in row.enumerated() {
                line += cell + String(repeating: " ", count: widths[column] - cell.count + 2)
            }
            while line.last == " " { line.removeLast() }
            return line
        }.joined(separator: "\n")
    }

    /// Removes control characters and bidi marks, so that untrusted text cannot control the terminal.
    static func printable(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .surrogate: result.append("�")
            case .format where scalar != "\u{200D}": continue
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
