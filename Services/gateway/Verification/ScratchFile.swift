import Blocking
import CaptureProtocol
import Crypto

/// An uploaded file, hashed while it comes and counted against the quota that all of them share.
///
/// Written by one task; the descriptor may be read once it is complete.
final class ScratchFile: @unchecked Sendable {
    private let file: NamelessFile
    private(set) var sizeBytes: Int64 = 0
    private var hasher = SHA256()
    private let share: ScratchQuota.Share
    var descriptor: Int32 { file.descriptor }

    /// - Parameter quota: how much of the folder files may take together.
    /// - Throws: ``VerificationError/noSpace`` if it cannot be made.
    init(in folder: String, of quota: ScratchQuota) throws(VerificationError) {
        share = quota.share()
        do { file = try NamelessFile(in: folder) } catch { throw .noSpace }
    }

    /// Appends and hashes. Blocks for as long as the page cache does.
    /// - Throws: ``VerificationError/noSpace``.
    func append(_ bytes: ArraySlice<UInt8>) throws(VerificationError) {
        try share.grow(by: bytes.count)
        bytes.withUnsafeBytes { hasher.update(bufferPointer: $0) }
        do { try file.append(bytes) } catch { throw .noSpace }
        sizeBytes += Int64(bytes.count)
    }

    /// What lies there, up to the end of the file. Blocks.
    /// - Returns: `nil` if it cannot be read.
    func bytes(_ range: Range<Int64>) -> [UInt8]? {
        guard range.lowerBound >= 0, range.count <= 1 << 22 else { return nil }
        return try? file.bytes(range)
    }

    /// Of all that was appended.
    var digest: ContentDigest { ContentDigest(hasher.finalize()) }
}
