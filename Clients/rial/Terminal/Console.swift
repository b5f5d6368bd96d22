import Foundation

/// Writes results to standard output and progress to standard error, so that scripts can read the results alone. What servers and files say
/// is among it, and does not control the terminal.
enum Console {
    static func progress(_ text: String) { write(printable(text), to: FileHandle.standardError) }

    /// - Parameter isJSON: it is written as it is, since JSON escapes control characters.
    static func result(_ text: String, isJSON: Bool = false) {
        write(isJSON ? text : printable(text), to: FileHandle.standardOutput)
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
