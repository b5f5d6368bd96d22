import NIOCore
import NIOHTTP1
import Observability

extension ClientSpan {
    /// Records a request to the store until its response's head, by OpenTelemetry's conventions for HTTP. Keys of objects and the store's
    /// address are left out.
    func end(_ request: S3Request, status: UInt? = nil, _ error: (any Error)? = nil) {
        let template = request.key == nil ? "/{bucket}" : "/{bucket}/{key}"
        var attributes: [(name: String, value: Span.Value)] = [
            ("http.request.method", .text(request.method.rawValue)), ("url.template", .text(template)),
        ]
        if let status { attributes.append(("http.response.status_code", .integer(Int64(status)))) }
        if let body = request.body { attributes.append(("http.request.body.size", .integer(Int64(body.readableBytes)))) }
        let failure = error.map { ($0 as? ObjectStorageError).map(\.code.rawValue) ?? "\(type(of: $0))" }
        end("\(request.method.rawValue) \(template)", attributes: attributes, failure: failure)
    }
}
