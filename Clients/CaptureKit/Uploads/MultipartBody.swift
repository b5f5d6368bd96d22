public import CaptureProtocol

/// A multipart/form-data body (RFC 7578) that is streamed: what is not in memory is read once to be hashed, and again to be sent.
public struct MultipartBody: HTTPBody {
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

        /// One that the API knows.
        public init(_ part: UploadPart, fileName: String? = nil, contentType: String, content: PartContent) {
            self.init(name: part.rawValue, fileName: fileName, contentType: contentType, content: content)
        }
    }

    public let boundary: String
    /// The lines between the parts, and the parts that are in memory, together; every other part by itself.
    private let segments: [PartContent]

    /// - Parameter boundary: 1 to 70 letters, digits and hyphens that no part contains. The same for each attempt, so that the server
    ///   recognises the body by its digest.
    public init(boundary: String, parts: [Part]) {
        self.boundary = boundary
        var segments: [PartContent] = []
        var inMemory: [UInt8] = []
        for part in parts {
            inMemory += Self.head(of: part, boundary: boundary)
            switch part.content {
            case .bytes(let bytes): inMemory += bytes
            case .source:
                segments += [.bytes(inMemory), part.content]
                inMemory = []
            }
            inMemory += [0x0D, 0x0A]
        }
        segments.append(.bytes(inMemory + Array("--\(boundary)--\r\n".utf8)))
        self.segments = segments
    }

    /// A boundary for a body that is sent once: 128 random bits.
    public static func randomBoundary() -> String { "rial-" + Hex.encode([UInt8].random(16)) }

    public var contentType: String { "multipart/form-data; boundary=\(boundary)" }
    public var contentLength: Int64 { segments.reduce(0) { $0 + $1.sizeBytes } }
    public func makeReader() -> any HTTPBodyReader { makeReader(from: 0) }
    public func makeReader(from offset: Int64) -> any HTTPBodyReader { SegmentReader(segments, from: offset) }

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
