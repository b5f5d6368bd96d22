import CaptureKit
import Foundation

/// Files that the command line names.
enum LocalFile {
    /// - Throws: ``CommandFailure``.
    static func bytes(_ path: String) throws -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else { throw CommandFailure("\(path) cannot be read") }
        return Array(data)
    }

    /// Returns when the new content is durable: after a crash the file has its old content or the new one. A file may be replaced by one
    /// caller at a time.
    /// - Parameter permissions: `nil` if only its owner may read it.
    /// - Throws: ``CommandFailure`` with the old content, or the new one, in place.
    static func replace(_ name: String, in folder: String, with bytes: [UInt8], permissions: Int? = nil) throws {
        let (files, fresh, place) = (PosixFiles(), "\(folder)/.new-\(name)", "\(folder)/\(name)")
        do {
            // Left by a process that was killed.
            try files.remove(fresh)
            let file = try files.create(fresh)
            try file.write(bytes)
            if let permissions { try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: fresh) }
            try file.sync()
            try files.rename(fresh, to: place)
            try files.syncFolder(folder)
        } catch {
            throw CommandFailure("\(place) cannot be written (\(error)).")
        }
    }
}
