public import Crypto

/// The sealed files in a folder (``SealedFormat``). A file under its final name is complete and durable.
public struct SealedFiles: Sendable {
    private let folder: String
    private let key: SymmetricKey
    private let files: any FileLayer
    private let failPoints: FailPoints

    /// - Parameters:
    ///   - folder: an absolute path; the folder must exist when a file is created or listed.
    ///   - key: the store's key.
    public init(folder: String, key: SymmetricKey, files: any FileLayer = PosixFiles(), failPoints: FailPoints = .none) {
        self.folder = folder
        self.key = key
        self.files = files
        self.failPoints = failPoints
    }

    /// Begins a file, under a temporary name until it is committed. If there is such a file already, committing replaces it.
    /// - Throws: ``FileError``.
    public func create(_ item: SealedItem) throws -> SealedFileWriter {
        let place = SealedFilePlace(
            folder: folder, temporaryName: SealedFileName.temporary(item), finalName: SealedFileName.final(item), files: files,
            failPoints: failPoints)
        return try SealedFileWriter(place, cipher: ChunkCipher(sealing: item, with: key))
    }

    /// - Throws: ``FileError``, `missing` if there is no such file; ``SealError``.
    public func open(_ item: SealedItem) throws -> SealedFileReader {
        try SealedFileReader(try files.open(path(SealedFileName.final(item))), item: item, storeKey: key)
    }

    /// Begins a log, under its final name at once: what is in it is meant to be found after a crash. There must be none of this name.
    /// - Throws: ``FileError``.
    func createLog(_ item: SealedItem) throws -> SealedLogWriter {
        let log = try SealedLogWriter(
            try files.create(path(SealedFileName.final(item))), cipher: ChunkCipher(sealing: item, with: key))
        try files.syncFolder(folder)
        return log
    }

    /// - Throws: as ``open(_:)``.
    func openLog(_ item: SealedItem) throws -> SealedLogReader {
        try SealedLogReader(try files.open(path(SealedFileName.final(item))), item: item, storeKey: key)
    }

    /// Removes a file durably; does nothing if there is no such file.
    public func remove(_ item: SealedItem) throws(FileError) { try remove([item]) }

    /// Removes files durably; those that do not exist are skipped.
    public func remove(_ items: [SealedItem]) throws(FileError) { try remove(names: items.map(SealedFileName.final)) }

    /// Removes files durably by their names in the folder, such as what ``contents()`` found; those that do not exist are skipped.
    public func remove(names: [String]) throws(FileError) {
        guard !names.isEmpty else { return }
        for name in names { try files.remove(path(name)) }
        try files.syncFolder(folder)
    }

    /// What is in the folder. While other processes seal, their temporary files are among it.
    public func contents() throws(FileError) -> SealedFolderContents {
        var contents = SealedFolderContents()
        for name in try files.names(in: folder) {
            if let item = SealedFileName.item(of: name) {
                contents.items.append(item)
            } else if SealedFileName.isTemporary(name) {
                contents.temporaryNames.append(name)
            } else {
                contents.foreignNames.append(name)
            }
        }
        return contents
    }

    private func path(_ name: String) -> String { folder + "/" + name }
}
