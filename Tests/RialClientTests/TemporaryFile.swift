import Foundation

/// Runs `body` with a file that is deleted afterwards.
func withTemporaryFile(
    _ bytes: [UInt8], extension pathExtension: String = "bin", _ body: (URL) async throws -> Void
) async throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("rial-\(UUID().uuidString).\(pathExtension)")
    try Data(bytes).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    try await body(url)
}

extension URL {
    /// The files of a folder by name.
    func contents() throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        return try Dictionary(uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: appendingPathComponent($0))) })
    }
}
