import Blocking
import CaptureProtocol
import Crypto

/// An uploaded file, hashed while it comes and counted in the room that all of them share.
///
/// Written by one task; the descriptor may be read once it is complete.
final class ScratchFile: @unchecked Sendable {
    private let file: NamelessFile
    private(set) var sizeBytes: Int64 = 0
    private var hasher = SHA256()
    private let share: ScratchRoom.Share
    var descriptor: Int32 { file.descriptor }

    /// - Parameter room: how much of the folder files may take together.
    /// - Throws: `SERVICE_UNAVAILABLE` if it cannot be made.
    init(in folder: String, of room: ScratchRoom) throws(APIError) {
        share = room.share()
        do { file = try NamelessFile(in: folder) } catch { throw Self.noRoom }
    }

    /// Appends and hashes. Blocks for as long as the page cache does.
    /// - Throws: `SERVICE_UNAVAILABLE` if there is no room.
    func append(_ bytes: ArraySlice<UInt8>) throws(APIError) {
        try share.grow(by: bytes.count)
        bytes.withUnsafeBytes { hasher.update(bufferPointer: $0) }
        do { try file.append(bytes) } catch { throw Self.noRoom }
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

    static var noRoom: APIError {
        .retryLater(.serviceUnavailable, "There is no room for the file at the moment; try again.", seconds: 5)
    }
}
