import Foundation
import HTTPTypes
import Hummingbird
import Multipart

extension HTTPFields {
    /// The media type without parameters, in lower case; `nil` without a `Content-Type`.
    var mediaType: String? {
        self[.contentType].flatMap { $0.split(separator: ";").first }.map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
    }
}

extension Request {
    /// The media type without parameters, in lower case; `nil` without a `Content-Type`.
    var mediaType: String? { headers.mediaType }

    /// The `Content-Length`; `nil` without one.
    var declaredBytes: Int? { headers[.contentLength].flatMap { Int($0) } }

    /// Whether the client sends a body (RFC 9112 §6.3), other than an empty one of a declared length.
    var hasBody: Bool { headers[.transferEncoding] != nil || declaredBytes ?? 0 > 0 }
}

extension MultipartBoundary {
    /// - Throws: `MultipartError` for another media type, or without a usable boundary.
    init(of request: Request) throws(MultipartError) { try self.init(contentType: request.headers[.contentType] ?? "") }
}
