import Foundation

/// Phil Harvey's exiftool, if it is installed.
enum ExifToolJSON {
    private static let path = ["/usr/bin/exiftool", "/usr/local/bin/exiftool", "/opt/homebrew/bin/exiftool"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    static var isInstalled: Bool { path != nil }

    /// All tags as "Group:Name", with unconverted numbers.
    static func read(_ jpeg: [UInt8]) throws -> [String: Any] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).jpg")
        try Data(jpeg).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path ?? "")
        process.arguments = ["-j", "-n", "-G", "-a", "-u", "-ee", file.path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let json = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (try JSONSerialization.jsonObject(with: json) as? [[String: Any]])?.first ?? [:]
    }
}
