public import Crypto

/// Seals what is too small for a file of its own, such as the facts in a database column. Same form and keys as files' (``SealedFormat``).
public enum SealedBlob {
    /// - Returns: 57 bytes more than `bytes`, and 16 for every further 64 KiB. Different at each call.
    public static func seal(_ bytes: [UInt8], for item: SealedItem, with storeKey: SymmetricKey) throws -> [UInt8] {
        let cipher = ChunkCipher(sealing: item, with: storeKey)
        var sealed = cipher.header
        var number: Int64 = 0
        var rest = bytes[...]
        while rest.count > SealedFormat.chunkSize {
            sealed += try cipher.seal(rest.prefix(SealedFormat.chunkSize), number: number, isLast: false)
            rest = rest.dropFirst(SealedFormat.chunkSize)
            number += 1
        }
        return try sealed + cipher.seal(rest, number: number, isLast: true)
    }

    /// - Returns: what was sealed, all of it.
    /// - Throws: ``SealError``.
    public static func open(_ sealed: [UInt8], for item: SealedItem, with storeKey: SymmetricKey) throws(SealError) -> [UInt8] {
        let cipher = try ChunkCipher(opening: item, header: Array(sealed.prefix(SealedFormat.headerSize)), with: storeKey)
        let layout = try SealedLayout(sealedSizeBytes: Int64(sealed.count))
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(layout.sizeBytes))
        for number in 0...layout.lastChunk {
            let place = layout.place(of: number)
            let chunk = sealed[Int(place.offset)...].prefix(place.count)
            bytes += try cipher.open(chunk, number: number, isLast: number == layout.lastChunk)
        }
        return bytes
    }
}
