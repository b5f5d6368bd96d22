/// Reads several contents, one after the other.
actor SegmentReader: HTTPBodyReader {
    private var remaining: ArraySlice<PartContent>
    private var current: (any HTTPBodyReader)?

    init(_ contents: [PartContent]) { remaining = contents[...] }

    func next() async throws -> [UInt8]? {
        while true {
            if let piece = try await current?.next() { return piece }
            current = try remaining.popFirst()?.makeReader()
            if current == nil { return nil }
        }
    }
}
