public import Foundation

/// Runs the real `ffmpeg` and `ffprobe` in a folder of its own.
public struct MediaTool: Sendable {
    public struct Failure: Error {
        let arguments: [String]
        let output: String
    }

    public let folder: URL

    /// Calls `body` with a folder that is removed afterwards.
    public static func inFolder<Result>(_ body: (MediaTool) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "movie-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(MediaTool(folder: folder))
    }

    /// The same for work that waits.
    public static func inFolder<Result>(_ body: (MediaTool) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "movie-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(MediaTool(folder: folder))
    }

    /// - Returns: what it writes to its standard output.
    @discardableResult
    public func run(_ program: String, _ arguments: [String]) throws -> Data {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program, "-v", "error"] + arguments
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        let pipe = Pipe()
        process.standardOutput = pipe
        let log = folder.appending(path: "log-\(UUID().uuidString)")
        _ = FileManager.default.createFile(atPath: log.path, contents: nil)
        process.standardError = try FileHandle(forWritingTo: log)
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(arguments: arguments, output: String(decoding: try Data(contentsOf: log), as: UTF8.self))
        }
        return output
    }

    public func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: folder.appending(path: name))) }

    public func write(_ bytes: [UInt8], to name: String) throws { try Data(bytes).write(to: folder.appending(path: name)) }

    /// A film of a moving test picture, 320 × 240 at 30 per second.
    /// - Parameters:
    ///   - options: of the output, such as codec and container.
    ///   - sound: whether it has a sine tone as AAC.
    public func film(_ name: String, seconds: Double = 1, sound: Bool = true, _ options: [String]) throws -> [UInt8] {
        let picture = ["-f", "lavfi", "-i", "testsrc2=size=320x240:rate=30:duration=\(seconds)"]
        let tone = ["-f", "lavfi", "-i", "sine=frequency=440:sample_rate=44100:duration=\(seconds)", "-c:a", "aac", "-ac", "1"]
        try run("ffmpeg", ["-y"] + picture + (sound ? tone : []) + ["-threads", "1", "-pix_fmt", "yuv420p"] + options + [name])
        return try bytes(name)
    }

    /// SHA-256 of every stream's packets, by ffmpeg's own account.
    public func streamHashes(_ name: String) throws -> [String] {
        let output = try run(
            "ffmpeg", ["-i", name, "-map", "0:v", "-map", "0:a?", "-c", "copy", "-f", "streamhash", "-hash", "sha256", "-"])
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
