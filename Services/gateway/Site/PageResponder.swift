import CaptureProtocol
import HTTPTypes
import Hummingbird
import Site

/// Builds the responses of the site's pages: headers, entity tag, and gzip if the client accepts it.
struct PageResponder: Sendable {
    let pages: SitePages
    let headers: SiteHeaders
    private let compressed = CompressedPages()
    var settings: SiteSettings { pages.settings }
    var resources: SiteResources { pages.resources }

    init(pages: SitePages) {
        self.pages = pages
        headers = SiteHeaders(
            settings: pages.settings, cssDigest: pages.resources.cssDigest, portablePolicy: pages.resources.portablePolicy)
    }

    /// - Parameter request: for `If-None-Match`, which applies to status 200 only.
    func response(
        _ page: Page, _ language: Language, status: HTTPResponse.Status = .ok, fields: HTTPFields = [:], to request: Request
    ) throws(SiteError) -> Response {
        let body = Array(try pages.html(page, language).utf8)
        var all = headers.page(
            language, isIndexed: page.isIndexed, showsLocalFiles: page.showsLocalFiles, isPortable: page.isPortable)
        for field in fields { all[field.name] = field.value }
        let isGzipTaken = ContentCoding.isGzipTaken(by: request)
        let digest = ContentDigest(of: body)
        if status == .ok, request.method == .get || request.method == .head {
            let plain = EntityTag.of(digest, length: 32)
            let tag = isGzipTaken ? ContentCoding.tag(plain) : plain
            all[.eTag] = tag
            if EntityTag.matches(request.headers[.ifNoneMatch], tag) { return Response(status: .notModified, headers: all) }
        }
        return ContentCoding.response(status, all, plain: body, compressed: isGzipTaken ? compressed.form(of: body, digest: digest) : nil)
    }
}
