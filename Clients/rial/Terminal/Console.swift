import Foundation

/// Writes results to standard output and progress to standard error, so that scripts can read the results alone. What servers and files say
/// is among it, and does not control the terminal.
enum Console {
    static func progress(_ text: String) { write(printable(text), to: FileHandle.standardError) }

    /// - Parameter isJSON: nothing is taken away; what could control the terminal is escaped.
    static func result(_ text: String, isJSON: Bool = false) {
        write(isJSON ? escaped(text) : printable(text), to: FileHandle.standardOutput)
    }

    /// JSON in which strings escape what ``TextTable/printable(_:)`` takes away. Encoders do so only below U+0020.
    static func escaped(_ json: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in json.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control where scalar != "\n", .lineSeparator, .paragraphSeparator,
                .format where scalar != "\u{200D}":
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    result.append(contentsOf: ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).unicodeScalars)
                }
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// ``TextTable/printable(_:)`` of each line.
    static func printable(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { TextTable.printable(String($0)) }.joined(separator: "\n")
    }

    private static func write(_ line: String, to handle: FileHandle) {
        // A closed pipe, such as after `head`, is not an error.
        try? handle.write(contentsOf: Data((line + "\n").utf8))
    }
}
