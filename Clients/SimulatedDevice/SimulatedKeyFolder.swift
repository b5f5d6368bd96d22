import Foundation

/// A key of ``SimulatedAttestationService``.
struct SimulatedKey: Codable {
    /// Has the private key and its counter.
    var device: SimulatedDevice
    /// Calls that were to attest the key.
    var attestations = 0
}

/// A folder with the keys in a file that is replaced as a whole and changed by one process at a time.
struct SimulatedKeyFolder: Sendable {
    private let folder: URL
    private var file: URL { folder.appendingPathComponent("keys.json") }

    init(_ folder: URL) { self.folder = folder }

    /// - Returns: by identifier; empty if the folder is new.
    func load() throws -> [String: SimulatedKey] {
        guard FileManager.default.fileExists(atPath: file.path) else { return [:] }
        return try JSONDecoder().decode([String: SimulatedKey].self, from: Data(contentsOf: file))
    }

    func update<Result>(_ body: (inout [String: SimulatedKey]) throws -> Result) throws -> Result {
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let lock = open(folder.appendingPathComponent("lock").path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw CocoaError(.fileWriteNoPermission) }
        defer { close(lock) }
        while flock(lock, LOCK_EX) != 0 {
            guard errno == EINTR else { throw CocoaError(.fileWriteUnknown) }
        }
        var keys = try load()
        let result = try body(&keys)
        try save(keys)
        return result
    }

    /// The lock excludes another writer, so the temporary file may have one name.
    private func save(_ keys: [String: SimulatedKey]) throws {
        let fresh = folder.appendingPathComponent("keys.json.new")
        let descriptor = open(fresh.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteNoPermission) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.write(contentsOf: try JSONEncoder().encode(keys))
        try handle.synchronize()
        try handle.close()
        guard rename(fresh.path, file.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}
