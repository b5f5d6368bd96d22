import Foundation
import NIOCore

/// Reads the segments of a body in pieces of at most 256 KiB.
struct SegmentCursor {
    static let pieceBytes = 256 * 1024
    private var remaining: ArraySlice<PartContent>
    private var open: OpenFile?

    init(_ segments: [PartContent]) { remaining = segments[...] }

    /// - Returns: `nil` after the last piece.
    /// - Throws: ``APIFailure`` `unreadableFile`, also if a file's size has changed.
    mutating func next() throws -> ByteBuffer? {
        while true {
            if var file = open {
                let piece = try file.read()
                open = piece == nil ? nil : file
                if let piece { return piece }
            }
            guard let segment = remaining.popFirst() else { return nil }
            switch segment {
            case .bytes(let bytes) where bytes.isEmpty: continue
            case .bytes(let bytes): return ByteBuffer(bytes: bytes)
            case .file(let url, let sizeBytes): open = try OpenFile(url, sizeBytes: sizeBytes)
            }
        }
    }

    /// A file being read; closed with its last copy.
    private struct OpenFile {
        let url: URL
        let handle: FileHandle
        var left: Int64

        init(_ url: URL, sizeBytes: Int64) throws {
            guard let handle = try? FileHandle(forReadingFrom: url) else {
                throw APIFailure(.unreadableFile, "\(url.path) cannot be read")
            }
            self.url = url
            self.handle = handle
            left = sizeBytes
        }

        mutating func read() throws -> ByteBuffer? {
            guard let data = try? handle.read(upToCount: SegmentCursor.pieceBytes), !data.isEmpty else {
                guard left == 0 else { throw APIFailure(.unreadableFile, "\(url.path) became shorter while it was sent") }
                return nil
            }
            left -= Int64(data.count)
            guard left >= 0 else { throw APIFailure(.unreadableFile, "\(url.path) grew while it was sent") }
            return ByteBuffer(bytes: data)
        }
    }
}
