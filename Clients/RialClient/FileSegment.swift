public import CaptureKit
public import Foundation

/// A file on disk as a part of a body.
public struct FileSegment: SegmentSource {
    public let url: URL
    public let sizeBytes: Int64

    /// - Throws: ``APIFailure`` `unreadableFile` unless it is a readable regular file.
    public init(at url: URL) throws {
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)
        guard let attributes, attributes[.type] as? FileAttributeType == .typeRegular,
            let size = (attributes[.size] as? NSNumber)?.int64Value, FileManager.default.isReadableFile(atPath: url.path)
        else { throw APIFailure(.unreadableFile, "\(url.path) is not a file that can be read") }
        self.init(url: url, sizeBytes: size)
    }

    /// - Parameter sizeBytes: what the file had when it was looked at.
    init(url: URL, sizeBytes: Int64) {
        self.url = url
        self.sizeBytes = sizeBytes
    }

    /// The reader throws ``APIFailure`` `unreadableFile`, also if the file's size has changed.
    public func makeReader() throws -> any HTTPBodyReader {
        guard let handle = try? FileHandle(forReadingFrom: url) else {
            throw APIFailure(.unreadableFile, "\(url.path) cannot be read")
        }
        return Reader(handle, path: url.path, sizeBytes: sizeBytes)
    }

    /// Closes the file when it is released.
    private actor Reader: HTTPBodyReader {
        private let handle: FileHandle
        private let path: String
        private var left: Int64

        init(_ handle: FileHandle, path: String, sizeBytes: Int64) {
            self.handle = handle
            self.path = path
            left = sizeBytes
        }

        func next() throws -> [UInt8]? {
            guard let data = try? handle.read(upToCount: 262_144), !data.isEmpty else {
                guard left == 0 else { throw APIFailure(.unreadableFile, "\(path) became shorter while it was sent") }
                return nil
            }
            left -= Int64(data.count)
            guard left >= 0 else { throw APIFailure(.unreadableFile, "\(path) grew while it was sent") }
            return Array(data)
        }
    }
}

extension PartContent {
    /// A file that is streamed.
    /// - Throws: ``APIFailure`` `unreadableFile` unless it is a readable regular file.
    public static func file(at url: URL) throws -> PartContent { .source(try FileSegment(at: url)) }
}
