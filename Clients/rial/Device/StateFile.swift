import Foundation

/// A JSON file with private keys: readable only by its owner, replaced as a whole, and changed by one process at a time.
struct StateFile<Value: Codable & Sendable>: Sendable {
    /// Far larger than a device's state.
    private static var maximumBytes: Int { 1024 * 1024 }

    let url: URL

    init(path: String) { url = URL(fileURLWithPath: path) }

    /// - Returns: `nil` if there is no such file.
    /// - Throws: ``CommandFailure`` if it cannot be read or decoded.
    func load() throws -> Value? {
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        guard let handle = try? FileHandle(forReadingFrom: url), let data = try? handle.read(upToCount: Self.maximumBytes) else {
            throw CommandFailure("The state file \(url.path) cannot be read.")
        }
        do {
            return try JSONDecoder().decode(Value.self, from: data)
        } catch {
            throw CommandFailure("\(url.path) is not a state file; give another --state.")
        }
    }

    /// Writes a new file and renames it, so that readers see either the old or the new content, even after a crash.
    func save(_ value: Value) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let data = try encoder.encode(value)
        let fresh = url.appendingPathExtension("new-\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            let descriptor = open(fresh.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw CocoaError(.fileWriteNoPermission) }
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            try handle.write(contentsOf: data)
            try handle.synchronize()
            try handle.close()
            guard rename(fresh.path, url.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        } catch {
            unlink(fresh.path)
            throw CommandFailure("The state file \(url.path) cannot be written.")
        }
    }

    /// Changes the file's content under a lock that excludes other processes.
    func update<Result>(_ body: (inout Value) throws -> Result) throws -> Result {
        let lock = open(url.appendingPathExtension("lock").path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw CommandFailure("The state file \(url.path) cannot be locked.") }
        defer { close(lock) }
        while flock(lock, LOCK_EX) != 0 {
            guard errno == EINTR else { throw CommandFailure("The state file \(url.path) cannot be locked.") }
        }
        guard var value = try load() else { throw CommandFailure("The state file \(url.path) is gone.") }
        let result = try body(&value)
        try save(value)
        return result
    }
}
