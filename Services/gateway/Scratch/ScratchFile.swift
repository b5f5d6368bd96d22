import Blocking
import CaptureProtocol
import Crypto

/// A file without a name, hashed while it is written and counted against the shared quota.
///
/// `@unchecked Sendable`: written by one task only; others use the descriptor once the file is complete.
final class ScratchFile: @unchecked Sendable {
    private let file: NamelessFile
    private(set) var sizeBytes: Int64 = 0
    private var hasher = SHA256()
    private let share: ScratchQuota.Share
    var descriptor: Int32 { file.descriptor }

    /// - Parameter quota: the disk space that all scratch files share.
    /// - Throws: ``NoScratchSpace`` if the file cannot be created.
    init(in folder: String, of quota: ScratchQuota) throws(NoScratchSpace) {
        share = quota.share()
        do { file = try NamelessFile(in: folder) } catch { throw NoScratchSpace() }
    }

    /// Appends and hashes the bytes. Blocks while writing.
    /// - Throws: ``NoScratchSpace``.
    func append(_ bytes: ArraySlice<UInt8>) throws(NoScratchSpace) {
        try share.grow(by: bytes.count)
        bytes.withUnsafeBytes { hasher.update(bufferPointer: $0) }
        do { try file.append(bytes) } catch { throw NoScratchSpace() }
        sizeBytes += Int64(bytes.count)
    }

    /// Reads the range, cut off at the end of the file. Blocks.
    /// - Returns: `nil` if the range exceeds 4 MiB or cannot be read.
    func bytes(_ range: Range<Int64>) -> [UInt8]? {
        guard range.lowerBound >= 0, range.count <= 1 << 22 else { return nil }
        return try? file.bytes(range)
    }

    /// SHA-256 of all appended bytes.
    var digest: ContentDigest { ContentDigest(hasher.finalize()) }
}
