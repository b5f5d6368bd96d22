public import Foundation

/// A folder beside the project with genuine test vectors; absent if only the repository is checked out.
public enum SharedData {
    /// The project's root.
    public static let projectRoot = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    public static let folder = projectRoot.deletingLastPathComponent().appendingPathComponent("shared/data")
    public static var isPresent: Bool { FileManager.default.fileExists(atPath: folder.path) }

    public static func data(_ path: String) throws -> Data { try Data(contentsOf: folder.appendingPathComponent(path)) }
}
