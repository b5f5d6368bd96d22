import Foundation

/// A ``SecureStore`` for machines without a Keychain: a folder that only its owner may enter, with a file for each item.
public struct FolderSecureStore: SecureStore {
    /// Far larger than any item.
    private static let maximumBytes: Int64 = 1_048_576

    private let folder: String
    private let files: any FileLayer

    /// - Parameter folder: an absolute path. Created with the first item; its parent must exist then.
    public init(folder: String, files: any FileLayer = PosixFiles()) {
        self.folder = folder
        self.files = files
    }

    public func load(_ item: SecureItem) throws(SecureStoreError) -> [UInt8]? {
        do {
            let file = try files.open(path(item.name))
            let sizeBytes = try file.sizeBytes
            guard sizeBytes <= Self.maximumBytes else { throw SecureStoreError.failed("\(item.name) has \(sizeBytes) bytes") }
            let bytes = try file.read(Int(sizeBytes), at: 0)
            // Who stored it may have been killed before its name was durable; the caller must be able to rely on it.
            try files.syncFolder(folder)
            return bytes
        } catch FileError.missing {
            return nil
        } catch {
            throw SecureStoreError(error)
        }
    }

    public func add(_ bytes: [UInt8], as item: SecureItem) throws(SecureStoreError) {
        try store(bytes, as: item) { temporary in
            guard try files.link(temporary, to: path(item.name)) else { throw SecureStoreError.exists }
        }
    }

    public func save(_ bytes: [UInt8], as item: SecureItem) throws(SecureStoreError) {
        try store(bytes, as: item) { try files.rename($0, to: path(item.name)) }
    }

    /// Also removes what interrupted additions and replacements of the item left behind.
    public func delete(_ item: SecureItem) throws(SecureStoreError) {
        do {
            try files.remove(path(item.name))
            for name in try files.names(in: folder) where name.hasPrefix(item.name + Self.temporaryMark) { try files.remove(path(name)) }
            try files.syncFolder(folder)
        } catch FileError.missing {
            // Nothing was ever stored.
        } catch {
            throw SecureStoreError(error)
        }
    }

    /// Writes the bytes to a temporary file and has `publish` give it its name, durably.
    private func store(_ bytes: [UInt8], as item: SecureItem, publish: (_ temporary: String) throws -> Void) throws(SecureStoreError) {
        // The upper-case UUID keeps it apart from all items' names.
        let temporary = path(item.name + Self.temporaryMark + UUID().uuidString)
        do {
            try createFolder()
            do {
                defer { try? files.remove(temporary) }  // Gone already if it was renamed.
                let file = try files.create(temporary)
                try file.write(bytes)
                try file.sync()
                try publish(temporary)
            }
            try files.syncFolder(folder)
        } catch {
            throw SecureStoreError(error)
        }
    }

    private func createFolder() throws(FileError) {
        try files.createFolder(folder)
        try files.syncFolder(URL(fileURLWithPath: folder).deletingLastPathComponent().path)
    }

    private func path(_ name: String) -> String { folder + "/" + name }

    private static let temporaryMark = ".new-"
}

extension SecureStoreError {
    fileprivate init(_ error: any Error) {
        self =
            switch error {
            case let error as SecureStoreError: error
            case FileError.denied: .locked
            case FileError.noSpace: .failed("the volume is full")
            case FileError.failed(let code): .failed("errno \(code)")
            default: .failed("\(error)")
            }
    }
}
