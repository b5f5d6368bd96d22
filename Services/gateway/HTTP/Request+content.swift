import Foundation
import Hummingbird
import Multipart

extension Request {
    /// The media type without parameters, in lower case; `nil` without a `Content-Type`.
    var mediaType: String? {
        headers[.contentType].flatMap { $0.split(separator: ";").first }.map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
    }

    /// As `Content-Length` says; `nil` without one.
    var declaredBytes: Int? { headers[.contentLength].flatMap { Int($0) } }
}

extension MultipartBoundary {
    /// - Throws: `UNSUPPORTED_MEDIA_TYPE` for another type, `VALIDATION_ERROR` without a usable boundary.
    init(of request: Request) throws(APIError) {
        do {
            try self.init(contentType: request.headers[.contentType] ?? "")
        } catch MultipartError.notMultipart {
            throw APIError(.unsupportedMediaType, "The body must be multipart/form-data.")
        } catch {
            throw APIError.invalid("Content-Type", "has no usable boundary")
        }
    }
}
