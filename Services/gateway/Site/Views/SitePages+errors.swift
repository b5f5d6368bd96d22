import CaptureProtocol
import Foundation
import HTTPTypes
import Hummingbird

extension SitePages {
    /// The page that stands for an error where a browser asked for a page; `nil` where the API's form is due.
    ///
    /// The API and answers for programs never are pages; a link to media, opened by a person, is.
    func error(_ error: APIError, _ request: Request, _ context: GatewayContext) -> Response? {
        let path = request.uri.path
        let isForPrograms = ["/api/", "/oembed", "/assets/", "/health"].contains { path.hasPrefix($0) } || path == "/api"
        guard !isForPrograms, AcceptedForm.prefersHTML(request.headers[values: .accept]) else { return nil }
        let language = Language(request)
        var fields = error.headers
        fields[.cacheControl] = "no-store"
        fields[.vary] = "Accept, Accept-Encoding, Accept-Language, Cookie"
        return try? response(
            errorPage(error, path: path, requestID: context.requestID, resources.words(language)), language, status: error.code.status,
            fields: fields, to: request)
    }

    func errorPage(_ error: APIError, path: String, requestID: String, _ words: WordTable) -> Page {
        let status = error.code.status.code
        let isMedia = path.hasPrefix("/media/")
        var values: [String: String] = [:]
        let key: String
        switch status {
        case 404: key = "err.404"
        case 410: key = isMedia ? "err.410.link" : "err.410"
        case 429:
            key = "err.429"
            values["t"] = Formats(words: words).span(error.retrySeconds)
        case 503: key = "err.503"
        case 500...:
            key = "err.500"
            values["id"] = requestID
        default: key = "err.400"
        }
        var context: ViewContext = [
            "h1": words(key), "more": words(key + ".more", values), "retry_text": words("err.retry"),
            "offers_file": status == 404 || status == 410,
        ]
        if status == 410, isMedia {
            // The record makes new links.
            context["retry_text"] = words("file.open")
            context["retry"] = path.split(separator: "/").dropFirst().first.flatMap { CaptureID(String($0)) }.map { "/verify/\($0)" }
        } else if status == 429 || status >= 500 {
            context["retry"] = LanguageSwitch.place(back: path)
        }
        return Page(
            template: .error, title: words("title.page", ["page": words(key)]), path: path, isCanonical: false, isIndexed: false,
            context: context)
    }
}

/// Which form of an answer a client prefers.
enum AcceptedForm {
    /// Whether HTML is asked for by name, and not less than JSON (RFC 9110 §12.5.1).
    static func prefersHTML(_ fields: [String]) -> Bool {
        let list = WeightedList(fields)
        let html = list.weight(of: "text/html") ?? list.weight(of: "text/*") ?? 0
        let problem = list.weight(of: "application/problem+json") ?? 0
        let json = list.weight(of: "application/json") ?? list.weight(of: "application/*") ?? 0
        return html > 0 && html >= max(json, problem)
    }
}
