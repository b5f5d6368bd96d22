import Crypto
import Foundation

/// A sealed file that grows entry by entry, for what must outlive its process at any moment: the header of ``SealedFormat``, then entries
/// of any size, each with the length of its sealed form before it (four bytes, big-endian).
///
/// Each entry is sealed as a chunk that is not the last one, numbered from 0, with the keys of all sealed files: no entry opens at another
/// place or in another file. That its end is missing is not noticed: that is what it is for. Used by one task at a time.
final class SealedLogWriter {
    private let file: any WritableFile
    private let cipher: ChunkCipher
    private var number: Int64 = 0
    /// Why an entry was not written whole. Nothing that came after it would be read, and its nonce would be used twice.
    private var failure: FileError?

    init(_ file: any WritableFile, cipher: ChunkCipher) throws(FileError) {
        self.file = file
        self.cipher = cipher
        try file.write(cipher.header)
    }

    /// Appends an entry, in one write: a process that is killed leaves it whole, or a rest that is not read.
    /// - Throws: ``FileError``, and the same one from then on.
    func append(_ entry: [UInt8]) throws {
        if let failure { throw failure }
        let sealed = try cipher.seal(entry, number: number, isLast: false)
        let framed = withUnsafeBytes(of: UInt32(clamping: sealed.count).bigEndian, Array.init) + sealed
        do throws(FileError) {
            try file.write(framed)
        } catch {
            failure = error
            throw error
        }
        number += 1
    }

    /// - Throws: ``FileError``; that of ``append(_:)`` once an entry was not written whole.
    func sync() throws(FileError) {
        if let failure { throw failure }
        try file.sync()
    }
}

/// Reads a ``SealedLogWriter``'s file, one entry in memory at a time.
struct SealedLogReader {
    /// The largest entry with its tag: more than any sample or depth map has.
    private static let maximumBytes: UInt32 = 64 << 20

    private let file: any ReadableFile
    private let cipher: ChunkCipher
    private var number: Int64 = 0
    private var offset = Int64(SealedFormat.headerSize)

    init(_ file: any ReadableFile, item: SealedItem, storeKey: SymmetricKey) throws {
        self.file = file
        cipher = try ChunkCipher(opening: item, header: try file.read(SealedFormat.headerSize, at: 0), with: storeKey)
    }

    /// - Returns: `nil` at the end, or before the first entry that was not written whole, or is not the one that was written there.
    mutating func next() throws(FileError) -> [UInt8]? {
        let length = try file.read(4, at: offset).reduce(into: (count: 0, value: UInt32(0))) { length, byte in
            length = (length.count + 1, length.value << 8 | UInt32(byte))
        }
        guard length.count == 4, (UInt32(SealedFormat.tagSize)...Self.maximumBytes).contains(length.value) else { return nil }
        let sealed = try file.read(Int(length.value), at: offset + 4)
        guard sealed.count == Int(length.value), let entry = try? cipher.open(sealed, number: number, isLast: false) else { return nil }
        offset += 4 + Int64(sealed.count)
        number += 1
        return entry
    }
}
