/// Where the chunks of a sealed file are, computed from its size alone.
struct SealedLayout: Sendable, Equatable {
    /// Plain bytes. Authentic once the last chunk has been opened.
    let sizeBytes: Int64
    /// The number of the last chunk.
    let lastChunk: Int64

    /// - Throws: ``SealError`` `notAuthentic` if no sealed file has this size.
    init(sealedSizeBytes: Int64) throws(SealError) {
        let body = sealedSizeBytes - Int64(SealedFormat.headerSize)
        guard body >= SealedFormat.tagSize else { throw .notAuthentic }
        lastChunk = (body - 1) / Int64(SealedFormat.sealedChunkSize)
        sizeBytes = body - (lastChunk + 1) * Int64(SealedFormat.tagSize)
        // The last chunk has its tag, and something before it unless it is the only one.
        guard lastChunk == 0 || sizeBytes > lastChunk * Int64(SealedFormat.chunkSize) else { throw .notAuthentic }
    }

    /// The place of a chunk with its tag in the sealed file.
    func place(of chunk: Int64) -> (offset: Int64, count: Int) {
        let plain = min(Int64(SealedFormat.chunkSize), sizeBytes - chunk * Int64(SealedFormat.chunkSize))
        let offset = Int64(SealedFormat.headerSize) + chunk * Int64(SealedFormat.sealedChunkSize)
        return (offset, Int(plain) + SealedFormat.tagSize)
    }
}
