import CaptureKit

/// Content in prepared pieces, then the end or an error.
struct PieceSource: SegmentSource {
    let pieces: [[UInt8]]
    let error: FileError?

    init(_ pieces: [[UInt8]], error: FileError? = nil) {
        self.pieces = pieces
        self.error = error
    }

    var sizeBytes: Int64 { pieces.reduce(0) { $0 + Int64($1.count) } }
    func makeReader() -> any HTTPBodyReader { Reader(left: pieces[...], error: error) }

    private actor Reader: HTTPBodyReader {
        private var left: ArraySlice<[UInt8]>
        private let error: FileError?

        init(left: ArraySlice<[UInt8]>, error: FileError?) {
            self.left = left
            self.error = error
        }

        func next() throws -> [UInt8]? {
            if let piece = left.popFirst() { return piece }
            if let error { throw error }
            return nil
        }
    }
}

func allBytes(_ body: some HTTPBody) async throws -> [UInt8] {
    let reader = try body.makeReader()
    var bytes: [UInt8] = []
    while let piece = try await reader.next() { bytes += piece }
    return bytes
}
