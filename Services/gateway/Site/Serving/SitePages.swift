import CaptureProtocol
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import Logging

/// Renders the site's pages: what each one needs, its headers, its entity tag.
struct SitePages: Sendable {
    let settings: SiteSettings
    let resources: SiteResources
    let headers: SiteHeaders

    init(settings: SiteSettings, resources: SiteResources) {
        self.settings = settings
        self.resources = resources
        headers = SiteHeaders(settings: settings, cssDigest: resources.cssDigest)
    }

    /// The page as it stands in the answer.
    func html(_ page: Page, _ language: Language) throws(SiteError) -> String {
        let words = resources.words(language, page.type)
        var context = frame(page, language, words).merging(page.context) { _, own in own }
        context["css"] = resources.css
        return try resources.templates(language, page.type).render(page.template.rawValue, context)
    }

    /// - Parameter request: for `If-None-Match`; only pages with status 200 are compared.
    func response(
        _ page: Page, _ language: Language, status: HTTPResponse.Status = .ok, fields: HTTPFields = [:], to request: Request
    ) throws(SiteError) -> Response {
        let body = Array(try html(page, language).utf8)
        var all = headers.page(language, isIndexed: page.isIndexed, showsLocalFiles: page.showsLocalFiles)
        for field in fields { all[field.name] = field.value }
        let isGzipTaken = ContentCoding.isGzipTaken(by: request)
        if status == .ok, request.method == .get || request.method == .head {
            let plain = "\"\(Hex.encode(Array(SHA256.hash(data: body).prefix(16))))\""
            let tag = isGzipTaken ? ContentCoding.tag(plain) : plain
            all[.eTag] = tag
            if EntityTag.matches(request.headers[.ifNoneMatch], tag) { return Response(status: .notModified, headers: all) }
        }
        return ContentCoding.response(status, all, plain: body, compressed: isGzipTaken ? ContentCoding.gzip(body) : nil)
    }

    /// What every page has, from `<html>` to the language switch.
    private func frame(_ page: Page, _ language: Language, _ words: WordTable) -> ViewContext {
        var frame: ViewContext = [
            "lang": language.rawValue, "title": page.title, "description": words("site.description"), "noindex": !page.isIndexed,
            "other_lang": language.other.rawValue, "other_href": LanguageSwitch.address(to: language.other, back: page.path),
            "scripts": page.scripts.map(resources.script), "alternates": [ViewContext](),
        ]
        guard page.isCanonical else { return frame }
        let address = settings.publicURL + page.path
        frame["canonical"] = address
        frame["alternates"] = Language.allCases.map { ["hreflang": $0.rawValue, "href": "\(address)?lang=\($0.rawValue)"] as ViewContext }
        return frame
    }
}

/// One page to be rendered.
struct Page {
    enum Template: String { case verify, file, landing, methodology, error }
    var template: Template
    /// Of the capture that it is about; `nil` for none in particular.
    var type: CaptureType?
    var title: String
    /// Without the query: where the language switch leads back to, and below the public address the canonical one.
    var path: String
    var isCanonical = true
    var isIndexed = true
    var showsLocalFiles = false
    /// File names.
    var scripts: [String] = []
    var context: ViewContext
}
