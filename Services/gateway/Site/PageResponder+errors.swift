import Foundation
import HTTPTypes
import Hummingbird
import Site

extension PageResponder {
    /// The error page if a browser asked for a page; `nil` if the API's error format is due.
    ///
    /// Paths for programs never get pages; a media link opened in a browser does.
    func error(_ error: APIError, _ request: Request, _ context: GatewayContext) -> Response? {
        let path = request.uri.path
        let isForPrograms = ["/api/", "/oembed", "/assets/", "/health"].contains { path.hasPrefix($0) } || path == "/api"
        guard !isForPrograms, AcceptedForm.prefersHTML(request.headers[values: .accept]) else { return nil }
        let language = Language(request)
        var fields = error.headers
        fields[.cacheControl] = "no-store"
        fields[.vary] = "Accept, Accept-Encoding, Accept-Language, Cookie"
        let failure = PageFailure(
            status: error.code.status.code, path: path, requestID: context.requestID, retrySeconds: error.retrySeconds,
            withdrawnAt: error.withdrawnAt)
        return try? response(pages.error(failure, language), language, status: error.code.status, fields: fields, to: request)
    }
}

extension APIError {
    /// The value of `Retry-After` in seconds; 60 without one.
    var retrySeconds: TimeInterval { headers[.retryAfter].flatMap(TimeInterval.init) ?? 60 }
}

/// Negotiates the format of a response.
enum AcceptedForm {
    /// Whether the client accepts HTML by name with at least the weight of JSON (RFC 9110 §12.5.1).
    static func prefersHTML(_ fields: [String]) -> Bool {
        let list = WeightedList(fields)
        let html = list.weight(of: "text/html") ?? list.weight(of: "text/*") ?? 0
        let problem = list.weight(of: "application/problem+json") ?? 0
        let json = list.weight(of: "application/json") ?? list.weight(of: "application/*") ?? 0
        return html > 0 && html >= max(json, problem)
    }
}
