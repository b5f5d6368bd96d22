import CaptureProtocol
import Foundation

/// The error page: what happened, that it is not the photo's fault, what to do.
struct ErrorView: Sendable {
    let failure: PageFailure
    let strings: StringTable

    func page() -> Page {
        let (status, path) = (failure.status, failure.path)
        // A link that has expired can be made anew; what was withdrawn cannot.
        let isMedia = path.hasPrefix("/media/") && failure.withdrawnAt == nil
        var values: [String: String] = [:]
        let key: String
        switch status {
        case 404: key = "err.404"
        case 410: key = isMedia ? "err.410.link" : "err.410"
        case 429:
            key = "err.429"
            values["t"] = ValueFormatter(strings: strings).span(failure.retrySeconds)
        case 503: key = "err.503"
        case 500...:
            key = "err.500"
            values["id"] = failure.requestID
        default: key = "err.400"
        }
        var context: ViewContext = [
            "h1": strings(key), "more": strings(key + ".more", values), "retry_text": strings("err.retry"),
            "offers_file": status == 404 || status == 410,
        ]
        if let day = failure.withdrawnAt {
            context["day"] = strings("err.410.day", ["d": ValueFormatter(strings: strings).day(day)])
        }
        if status == 410, isMedia {
            // The record's page has new links.
            context["retry_text"] = strings("file.open")
            context["retry"] = path.split(separator: "/").dropFirst().first.flatMap { CaptureID(String($0)) }.map(PagePath.capture)
        } else if status == 429 || status >= 500 {
            context["retry"] = SiteAddress.returnPath(path)
        }
        return Page(
            template: .error, title: strings("title.page", ["page": strings(key)]), path: path, isCanonical: false, isIndexed: false,
            context: context)
    }
}
