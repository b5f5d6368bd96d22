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
