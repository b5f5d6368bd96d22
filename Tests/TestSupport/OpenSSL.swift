public import Foundation

/// The `openssl` of this machine.
public enum OpenSSL {
    private static let path = ["/usr/bin/openssl", "/usr/local/bin/openssl"].first { FileManager.default.isExecutableFile(atPath: $0) }
    public static var isPresent: Bool { path != nil }

    /// Runs it in a folder.
    /// - Throws: `CocoaError` if it fails.
    public static func run(_ arguments: [String], in folder: URL) throws {
        guard let path else { throw CocoaError(.executableLoad) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
    }
}
