import Foundation

/// Results go to standard output, progress to standard error, so that a script can read the one without the other.
enum Console {
    static func progress(_ line: String) { write(line, to: FileHandle.standardError) }

    static func result(_ line: String) { write(line, to: FileHandle.standardOutput) }

    private static func write(_ line: String, to handle: FileHandle) {
        // A reader that has gone away, such as `head`, is no failure of ours.
        try? handle.write(contentsOf: Data((line + "\n").utf8))
    }
}
