public import CaptureProtocol
import Foundation
public import NIOCore

/// A multipart/form-data body (RFC 7578) that is streamed: its files are read once to be hashed, and again to be sent.
public struct MultipartBody: Sendable {
    public struct Part: Sendable {
        public let name: String
        public let fileName: String?
        public let contentType: String
        public let content: PartContent

        public init(name: String, fileName: String? = nil, contentType: String, content: PartContent) {
            self.name = name
            self.fileName = fileName
            self.contentType = contentType
            self.content = content
        }
    }

    private let boundary: String
    let segments: [PartContent]

    /// - Parameter boundary: 1 to 70 letters, digits and hyphens that no part contains; the default is random.
    public init(boundary: String = "rial-" + Hex.encode((0..<16).map { _ in UInt8.random(in: 0...255) }), parts: [Part]) {
        self.boundary = boundary
        var segments: [PartContent] = []
        for part in parts {
            segments.append(.bytes(Self.head(of: part, boundary: boundary)))
            segments.append(part.content)
            segments.append(.bytes([0x0D, 0x0A]))
        }
        segments.append(.bytes(Array("--\(boundary)--\r\n".utf8)))
        self.segments = segments
    }

    public var contentType: String { "multipart/form-data; boundary=\(boundary)" }
    public var contentLength: Int64 { segments.reduce(0) { $0 + $1.sizeBytes } }

    /// SHA-256 of the body.
    /// - Throws: ``APIFailure`` `unreadableFile`.
    public func digest() throws -> ContentDigest { try PartContent.digest(of: segments) }

    private static func head(of part: Part, boundary: String) -> [UInt8] {
        var text = "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(escape(part.name))\""
        if let fileName = part.fileName { text += "; filename=\"\(escape(fileName))\"" }
        text += "\r\nContent-Type: \(part.contentType)\r\n\r\n"
        return Array(text.utf8)
    }

    /// Characters that would end the quoted string or the line are percent-encoded (RFC 7578 §2, WHATWG form data).
    private static func escape(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": escaped += "%22"
            case "\r": escaped += "%0D"
            case "\n": escaped += "%0A"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

extension MultipartBody: AsyncSequence {
    public typealias Element = ByteBuffer

    public struct AsyncIterator: AsyncIteratorProtocol {
        var cursor: SegmentCursor
        public mutating func next() async throws -> ByteBuffer? { try cursor.next() }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(cursor: SegmentCursor(segments)) }
}
