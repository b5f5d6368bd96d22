import CaptureProtocol
import Foundation
import HTTPTypes
import Hummingbird
import Site
import TestSupport
import Testing

@testable import Gateway

@Suite("Language of a page")
struct LanguageTests {
    @Test(
        "the highest weight decides, then the order",
        arguments: [
            ("", "en"), ("es", "es"), ("ES-mx", "es"), ("es-419,en;q=0.5", "es"), ("en-US,en;q=0.9,es;q=0.8", "en"),
            ("fr,es;q=0.3", "es"), ("fr,de", "en"), ("en;q=0.4,es;q=0.5", "es"), ("en;q=0,es;q=0.1", "es"), ("es;q=0", "en"),
            ("*", "en"), ("es;q=0.2,*;q=0.9", "en"), ("es;q=2", "en"), ("es;q=x,en", "en"), (",,;;q=,es", "es"), ("est", "en"),
            ("  es ; q=0.9 , en ; q=0.8", "es"), (String(repeating: "fr,", count: 100_000) + "es", "en"),
        ])
    func accepted(field: String, language: String) {
        #expect(Language(accepting: field).rawValue == language)
    }

    @Test("an address that names it comes first, then the switch, then the browser")
    func order() {
        let spanish: HTTPFields = [.acceptLanguage: "es"]
        #expect(Language(makeRequest(.get, "/", spanish)) == .spanish)
        #expect(Language(makeRequest(.get, "/", [.acceptLanguage: "es", .cookie: "a=b; lang=en"])) == .english)
        #expect(Language(makeRequest(.get, "/?lang=es", [.cookie: "lang=en"])) == .spanish)
        #expect(Language(makeRequest(.get, "/?lang=xx", [.acceptLanguage: "es", .cookie: "lang=<b>"])) == .spanish)
    }

    @Test("the switch keeps the choice in a cookie and leads back")
    func switched() {
        let response = LanguageSwitch.response(
            to: makeRequest(.get, "/language?to=es&back=%2Fverify%2Fabc%3Flang%3Den%26x%3D1"), isSecure: true)
        #expect(response.status == .seeOther)
        #expect(response.headers[.location] == "/verify/abc?x=1")
        #expect(response.headers[.setCookie] == "lang=es; Path=/; Max-Age=31536000; SameSite=Lax; HttpOnly; Secure")
        let unknown = LanguageSwitch.response(to: makeRequest(.get, "/language?to=%0d%0aX:1&back=/"), isSecure: false)
        #expect(unknown.headers[.setCookie] == nil && unknown.headers[.location] == "/")
    }

    @Test(
        "the switch cannot leave the site",
        arguments: [
            "//evil.example", "https://evil.example", "/\\evil.example", "\\\\evil.example", "evil.example", "", "javascript:alert(1)",
            "/\t/evil.example", "/\n/evil", "/%0d%0aSet-Cookie:x".removingPercentEncoding ?? "", "/ü", "/a b", " /a",
            "/\u{301}/evil.example",
            "/<script>", "/\"x", "/#//evil", "/" + String(repeating: "a", count: 3000), "\u{0}/x", "/../" + "\\evil",
        ])
    func stays(back: String) {
        #expect(SiteAddress.returnPath(back) == "/")
        #expect(SiteAddress.returnPath(nil) == "/")
    }

    @Test("a path of the site is kept", arguments: ["/", "/verify/0f8f", "/verify-file", "/a/b?c=d&e=%2F", "/x//y"])
    func kept(back: String) { #expect(SiteAddress.returnPath(back) == back) }

    @Test("the switch on a page names the page, whatever its address")
    func address() throws {
        #expect(SiteAddress.languageSwitch(to: .spanish, back: "/v/\"&x=1") == "/language?to=es&back=/v/%22%26x%3D1")
        let html = try makePages().pages.html(makePages().pages.record(Samples.record(kind: .photo), similar: nil, .english), .english)
        #expect(html.contains("<a href=\"/language?to=es&amp;back=/verify/\(Samples.id)\" hreflang=\"es\" lang=\"es\">Español</a>"))
    }
}
