/// Reads several contents, one after the other.
actor SegmentReader: HTTPBodyReader {
    private var remaining: ArraySlice<PartContent>
    private var current: (any HTTPBodyReader)?
    /// Where the first of the remaining contents is begun.
    private var offset: Int64

    /// - Parameter offset: contents that end before it are not read at all.
    init(_ contents: [PartContent], from offset: Int64 = 0) {
        var (remaining, offset) = (contents[...], max(offset, 0))
        while offset > 0, let first = remaining.first, offset >= first.sizeBytes {
            offset -= first.sizeBytes
            remaining.removeFirst()
        }
        self.remaining = remaining
        self.offset = offset
    }

    func next() async throws -> [UInt8]? {
        while true {
            if let piece = try await current?.next() { return piece }
            current = try remaining.popFirst()?.makeReader(from: offset)
            offset = 0
            if current == nil { return nil }
        }
    }
}
