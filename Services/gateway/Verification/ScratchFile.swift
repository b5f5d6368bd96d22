import CaptureProtocol
import Crypto
import Foundation
import NIOCore

/// A file without a name that takes what is uploaded: its bytes are gone when it is let go, or the process ends.
///
/// Written by one task; the descriptor may be read once it is complete.
final class ScratchFile: @unchecked Sendable {
    let descriptor: Int32
    private(set) var sizeBytes: Int64 = 0
    private var hasher = SHA256()
    private let share: ScratchRoom.Share

    /// - Parameters:
    ///   - folder: where there is room; the file never appears in it for longer than its making takes.
    ///   - room: how much of it files may take together.
    /// - Throws: `SERVICE_UNAVAILABLE` if it cannot be made.
    init(in folder: String, of room: ScratchRoom) throws(APIError) {
        share = room.share()
        var template = Array((folder + "/rial-XXXXXX").utf8CString)
        let made = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.map { mkstemp($0) } ?? -1
        }
        guard made >= 0 else { throw Self.noRoom }
        // Processes that read files of strangers are started meanwhile.
        _ = fcntl(made, F_SETFD, FD_CLOEXEC)
        template.withUnsafeBufferPointer { buffer in
            if let name = buffer.baseAddress { unlink(name) }
        }
        descriptor = made
    }

    deinit { close(descriptor) }

    /// Appends and hashes. Blocks for as long as the page cache does.
    func append(_ bytes: ArraySlice<UInt8>) throws(APIError) {
        try share.grow(by: bytes.count)
        var rest = bytes
        rest.withUnsafeBytes { hasher.update(bufferPointer: $0) }
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.noRoom }
            rest = rest.dropFirst(count)
            sizeBytes += Int64(count)
        }
    }

    /// What lies there, up to the end of the file. Blocks.
    /// - Returns: `nil` if it cannot be read.
    func bytes(_ range: Range<Int64>) -> [UInt8]? {
        guard range.lowerBound >= 0, range.count <= 1 << 22 else { return nil }
        var position = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            while position < range.count {
                let read = pread(
                    descriptor, buffer.baseAddress?.advanced(by: position), range.count - position, off_t(range.lowerBound) + position)
                if read < 0, errno == EINTR { continue }
                guard read > 0 else {
                    if read < 0 { position = -1 }
                    break
                }
                position += read
            }
            count = max(0, position)
        }
        return position < 0 ? nil : bytes
    }

    /// Of all that was appended.
    var digest: ContentDigest { ContentDigest(hasher.finalize()) }

    static var noRoom: APIError {
        .retryLater(.serviceUnavailable, "There is no room for the file at the moment; try again.", seconds: 5)
    }
}
