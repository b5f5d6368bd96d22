import Foundation
import HTTPTypes
import Hummingbird
import Multipart

extension HTTPFields {
    /// The media type without parameters, in lower case; `nil` without a `Content-Type`.
    var mediaType: String? {
        self[.contentType].flatMap { $0.split(separator: ";").first }.map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
    }

    /// Whether the client sends a body (RFC 9112 §6.3), other than an empty one of a declared length.
    var hasBody: Bool { self[.transferEncoding] != nil || self[.contentLength].flatMap { Int($0) } ?? 0 > 0 }

    /// Whether the client waits for a 100 (Continue) before it sends its body (RFC 9110 §10.1.1).
    var expectsContinue: Bool { self[.expect]?.lowercased() == "100-continue" && hasBody }
}

extension Request {
    /// The media type without parameters, in lower case; `nil` without a `Content-Type`.
    var mediaType: String? { headers.mediaType }

    /// The `Content-Length`; `nil` without one.
    var declaredBytes: Int? { headers[.contentLength].flatMap { Int($0) } }
}

extension MultipartBoundary {
    /// - Throws: `MultipartError` for another media type, or without a usable boundary.
    init(of request: Request) throws(MultipartError) { try self.init(contentType: request.headers[.contentType] ?? "") }
}
