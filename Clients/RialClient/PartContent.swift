public import Foundation

/// The content of one part of an upload: in memory, or in a file that is streamed.
public enum PartContent: Sendable {
    case bytes([UInt8])
    case file(URL, sizeBytes: Int64)

    /// - Throws: ``APIFailure`` `unreadableFile` unless it is a readable regular file.
    public static func file(at url: URL) throws -> PartContent {
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)
        guard let attributes, attributes[.type] as? FileAttributeType == .typeRegular,
            let size = (attributes[.size] as? NSNumber)?.int64Value, FileManager.default.isReadableFile(atPath: url.path)
        else { throw APIFailure(.unreadableFile, "\(url.path) is not a file that can be read") }
        return .file(url, sizeBytes: size)
    }

    public var sizeBytes: Int64 {
        switch self {
        case .bytes(let bytes): Int64(bytes.count)
        case .file(_, let sizeBytes): sizeBytes
        }
    }
}
