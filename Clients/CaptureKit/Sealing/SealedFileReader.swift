import Crypto
import Synchronization

/// Reads a sealed file at any place. Whatever it returns is authentic. Several tasks may use it at once; they read one after another.
public final class SealedFileReader: Sendable {
    /// Plain bytes, computed from the file's size. A file that was cut off or extended is refused when its end is read.
    public let sizeBytes: Int64
    private let file: any ReadableFile
    private let cipher: ChunkCipher
    private let layout: SealedLayout
    /// The chunk that was opened last, so that reading on in small pieces opens each chunk once.
    private let latest = Mutex<(number: Int64, bytes: [UInt8])?>(nil)

    init(_ file: any ReadableFile, item: SealedItem, storeKey: SymmetricKey) throws {
        self.file = file
        cipher = try ChunkCipher(opening: item, header: try file.read(SealedFormat.headerSize, at: 0), with: storeKey)
        layout = try SealedLayout(sealedSizeBytes: file.sizeBytes)
        sizeBytes = layout.sizeBytes
    }

    /// Opens only the chunks that it needs.
    /// - Returns: up to `count` bytes from `offset`; fewer only at the end of the file.
    /// - Throws: ``SealError``, ``FileError``.
    public func read(count: Int, at offset: Int64) throws -> [UInt8] {
        try latest.withLock { latest in
            var bytes: [UInt8] = []
            guard count > 0, offset >= 0, offset < sizeBytes else {
                // Only the last chunk shows that the file ends here.
                _ = try chunk(layout.lastChunk, &latest)
                return bytes
            }
            let end = offset + min(Int64(count), sizeBytes - offset)
            bytes.reserveCapacity(Int(end - offset))
            while offset + Int64(bytes.count) < end {
                let (number, start) = (offset + Int64(bytes.count)).quotientAndRemainder(dividingBy: Int64(SealedFormat.chunkSize))
                let missing = Int(end - offset) - bytes.count
                bytes += try chunk(number, &latest)[Int(start)...].prefix(missing)
            }
            return bytes
        }
    }

    private func chunk(_ number: Int64, _ latest: inout (number: Int64, bytes: [UInt8])?) throws -> [UInt8] {
        if let latest, latest.number == number { return latest.bytes }
        let place = layout.place(of: number)
        let bytes = try cipher.open(try file.read(place.count, at: place.offset), number: number, isLast: number == layout.lastChunk)
        latest = (number, bytes)
        return bytes
    }
}
