import CaptureProtocol
import Crypto
import Foundation

/// Hashes and seals the bytes of a file in one pass. Used by one task at a time.
///
/// Nothing is under the file's final name before ``commit()``; without it the temporary file goes with this object.
public final class SealedFileWriter {
    private let place: SealedFilePlace
    private let cipher: ChunkCipher
    /// `nil` after the end, or after an error.
    private var file: (any WritableFile)?
    private var hash = SHA256()
    private var sizeBytes: Int64 = 0
    private var chunkNumber: Int64 = 0
    /// Up to a chunk of bytes that are neither hashed nor sealed yet. A full one is kept, too: it may be the last.
    private var pending: [UInt8] = []

    init(_ place: SealedFilePlace, cipher: ChunkCipher) throws(FileError) {
        self.place = place
        self.cipher = cipher
        let file = try place.create()
        self.file = file
        try file.write(cipher.header)
        pending.reserveCapacity(SealedFormat.chunkSize)
    }

    deinit { discard() }

    /// Appends the bytes.
    /// - Throws: ``FileError``; the file is discarded then. `missing` after ``commit()``, ``discard()`` and an earlier error.
    public func write(_ bytes: [UInt8]) throws {
        try discardingOnError { file in
            var rest = bytes[...]
            while !rest.isEmpty {
                if pending.count == SealedFormat.chunkSize {
                    try append(pending, to: file, isLast: false)
                    pending.removeAll(keepingCapacity: true)
                }
                if pending.isEmpty, rest.count > SealedFormat.chunkSize {
                    try append(rest.prefix(SealedFormat.chunkSize), to: file, isLast: false)
                    rest = rest.dropFirst(SealedFormat.chunkSize)
                } else {
                    let part = rest.prefix(SealedFormat.chunkSize - pending.count)
                    pending += part
                    rest = rest.dropFirst(part.count)
                }
            }
        }
    }

    /// Completes the file and gives it its final name, durably.
    /// - Throws: ``FileError`` as in ``write(_:)``. If only the last step failed, the complete file may be there, and may go in a power
    ///   cut.
    public func commit() throws -> SealedContent {
        try discardingOnError { file in
            try append(pending, to: file, isLast: true)
            try place.publish(file)
        }
        file = nil
        return SealedContent(digest: ContentDigest(hash.finalize()), sizeBytes: sizeBytes)
    }

    /// Removes the temporary file; does nothing after ``commit()``.
    public func discard() {
        guard file != nil else { return }
        file = nil
        place.discard()
    }

    private func append(_ chunk: some DataProtocol, to file: any WritableFile, isLast: Bool) throws {
        hash.update(data: chunk)
        try file.write(try cipher.seal(chunk, number: chunkNumber, isLast: isLast))
        sizeBytes += Int64(chunk.count)
        chunkNumber += 1
    }

    private func discardingOnError(_ work: (any WritableFile) throws -> Void) throws {
        guard let file else { throw FileError.missing }
        do {
            try work(file)
        } catch {
            discard()
            throw error
        }
    }
}
