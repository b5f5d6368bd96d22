/// The file operations of the store, so that tests can stop between two of them, or lose what was not synced. Paths are absolute.
public protocol FileLayer: Sendable {
    /// Creates the folder, readable by its owner only, unless it exists; its parent must exist.
    func createFolder(_ path: String) throws(FileError)
    /// Creates a file that must not exist, readable by its owner only.
    func create(_ path: String) throws(FileError) -> any WritableFile
    /// - Throws: ``FileError`` `missing`.
    func open(_ path: String) throws(FileError) -> any ReadableFile
    /// Replaces the target atomically.
    func rename(_ path: String, to target: String) throws(FileError)
    /// Gives the file a second name in the same volume, atomically: of several that link to the same target one succeeds.
    /// - Returns: false, with nothing changed, if there is a file of the target's name.
    func link(_ path: String, to target: String) throws(FileError) -> Bool
    /// Does nothing if there is no such file.
    func remove(_ path: String) throws(FileError)
    /// The names in a folder, in no order.
    func names(in folder: String) throws(FileError) -> [String]
    /// Makes creations, renames and removals in the folder durable.
    func syncFolder(_ path: String) throws(FileError)
}

/// A file that is being written. Closed when it is released.
public protocol WritableFile: Sendable {
    /// Appends all bytes.
    func write(_ bytes: [UInt8]) throws(FileError)
    /// Makes the content durable.
    func sync() throws(FileError)
}

/// An open file. Closed when it is released.
public protocol ReadableFile: Sendable {
    var sizeBytes: Int64 { get throws(FileError) }
    /// - Returns: up to `count` bytes from `offset`; fewer only at the end of the file.
    func read(_ count: Int, at offset: Int64) throws(FileError) -> [UInt8]
}

/// Why a file operation failed. Paths are not part of it, since errors are shown and logged.
public enum FileError: Error, Sendable, Equatable {
    case missing
    /// The volume is full.
    case noSpace
    /// Not readable now: protected until the device is unlocked, or not permitted.
    case denied
    /// `errno` of the system call.
    case failed(code: Int32)
}
