import Observability

extension ClientSpan {
    /// Records a statement, by OpenTelemetry's conventions for databases. Its text has placeholders for all values.
    func end(of text: String, _ error: (any Error)? = nil) {
        let summary = StatementSummary(text)
        let failure = error.map { ($0 as? PostgresError).map { $0.sqlState ?? $0.code.rawValue } ?? "\(type(of: $0))" }
        end(
            summary.description,
            attributes: [
                ("db.system.name", .text("postgresql")), ("db.operation.name", .text(summary.operation)),
                ("db.query.summary", .text(summary.description)),
            ], failure: failure)
    }
}

/// What a statement does to which table: `SELECT captures`. A statement that begins with `WITH` is told by that word alone.
struct StatementSummary: CustomStringConvertible {
    /// The first word.
    let operation: String
    /// The first table, or the function that stands for one; `nil` if there is none.
    let target: String?

    var description: String { target.map { "\(operation) \($0)" } ?? operation }

    init(_ text: String) {
        let words = text.split(maxSplits: 255, whereSeparator: { $0.isWhitespace })
        operation = words.first.map { $0.uppercased() } ?? ""
        let word: String? =
            switch operation {
            case "SELECT", "DELETE": "FROM"
            case "INSERT": "INTO"
            case "UPDATE": "UPDATE"
            default: nil
            }
        target = word.flatMap { Self.word(after: $0, in: words) }
    }

    /// What follows a word that is in no parentheses, without what is no part of a name.
    private static func word(after word: String, in words: [Substring]) -> String? {
        var depth = 0
        for (index, current) in words.enumerated() {
            if depth == 0, current.uppercased() == word {
                let name = words.dropFirst(index + 1).first?.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
                return name.flatMap { $0.isEmpty ? nil : String($0) }
            }
            for character in current.utf8 { depth += character == UInt8(ascii: "(") ? 1 : character == UInt8(ascii: ")") ? -1 : 0 }
        }
        return nil
    }
}
