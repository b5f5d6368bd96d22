import Foundation

/// Files that the command line names.
enum LocalFile {
    /// - Throws: ``CommandFailure``.
    static func bytes(_ path: String) throws -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else { throw CommandFailure("\(path) cannot be read") }
        return Array(data)
    }
}
