import Foundation

/// Writes results to standard output and progress to standard error, so that scripts can read the results alone.
enum Console {
    static func progress(_ line: String) { write(line, to: FileHandle.standardError) }

    static func result(_ line: String) { write(line, to: FileHandle.standardOutput) }

    private static func write(_ line: String, to handle: FileHandle) {
        // A closed pipe, such as after `head`, is not an error.
        try? handle.write(contentsOf: Data((line + "\n").utf8))
    }
}
