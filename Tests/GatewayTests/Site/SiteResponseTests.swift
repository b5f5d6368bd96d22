import CaptureProtocol
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import Site
import TestSupport
import Testing

@testable import Gateway

@Suite("Responses of the site")
struct SiteResponseTests {
    @Test(
        "the policy's digest is that of the style sheet in the page, and nothing else may run or load",
        arguments: ["/", "/methodology", "/verify-file", "/log", "/nothing"])
    func policy(path: String) async throws {
        let response = try await TestSite().get(path)
        let html = try await response.text()
        let policy = try #require(response.headers[.contentSecurityPolicy])
        let open = try #require(html.range(of: "<style>"))
        let close = try #require(html.range(of: "</style>"))
        let digest = Base64.encode(Array(SHA256.hash(data: Data(html[open.upperBound..<close.lowerBound].utf8))))
        #expect(policy.contains("style-src 'sha256-\(digest)';"))
        #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; "))
        #expect(policy.hasSuffix("connect-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"))
        #expect(!policy.contains("unsafe") && !policy.contains("*"))
        // The page must not contain anything that its content security policy blocks.
        #expect(html.firstMatch(of: #/<[^>]+ (style|on[a-z]+)=/#) == nil)
        #expect(html.firstMatch(of: #/<script(?![^>]* src="\/assets\/)/#) == nil)
        #expect(html.components(separatedBy: "<style>").count == 2)
    }

    @Test("the page for bundles has all in itself, and may ask nobody for anything, also when it is opened from disk")
    func portable() async throws {
        let response = try await TestSite(SiteSettings(publicURL: publicURL, logPolicy: "quorum none\n")).get("/bundle")
        let html = try await response.text()
        func digest(of name: String) throws -> String {
            let element = try #require(html.firstMatch(of: try Regex("(?s)<\(name)[^>]*>(.*?)</\(name)>", as: (Substring, Substring).self)))
            return Base64.encode(Array(SHA256.hash(data: Data(element.output.1.utf8))))
        }
        let policy =
            "default-src 'none'; script-src 'sha256-\(try digest(of: "script"))'; style-src 'sha256-\(try digest(of: "style"))'; "
            + "img-src 'self'; connect-src 'none'; form-action 'none'; base-uri 'none'"
        #expect(response.headers[.contentSecurityPolicy] == policy + "; frame-ancestors 'none'")
        #expect(html.contains("<meta http-equiv=\"Content-Security-Policy\" content=\"\(policy.replacing("'", with: "&#39;"))\">"))
        #expect(html.components(separatedBy: "<script").count == 2 && html.components(separatedBy: "<style").count == 2)
        #expect(html.firstMatch(of: #/<[^>]+ (style|on[a-z]+|src)=/#) == nil)
        // Links lead to the site from wherever the page lies; nothing else has an address.
        for address in html.matches(of: #/ href="([^"]*)"/#).map(\.output.1) {
            #expect(address.hasPrefix("https://rial.example/") || address.hasPrefix("#"), "\(address)")
        }
        #expect(html.contains("quorum none\n</textarea>"))
        #expect(!(try await TestSite().get("/bundle").text().contains("type=\"radio\"")), "without a policy there is nothing to choose")
    }

    @Test("the page about the log tells its shards, witnesses and policy, and says so if there are none", arguments: Language.allCases)
    func log(language: Language) async throws {
        let time = Date(timeIntervalSince1970: 1_793_534_405)
        let (newest, last, first) = ("rial.example/log/2027", "rial.example/log/2026", "rial.example/log/2025")
        let log = MemoryLogFacts(
            rows: LogFactsRows(
                shards: [
                    .init(origin: newest, key: "\(newest)+00000001+AQ==", previous: last, openedAt: time),
                    .init(origin: last, key: "k2", openedAt: time.addingTimeInterval(-1), closedAt: time),
                    .init(origin: first, key: "k3", openedAt: time.addingTimeInterval(-2), frozenAt: time),
                    .init(
                        origin: "rial.example/log/2024", key: "k4", openedAt: time.addingTimeInterval(-3), closedAt: time, frozenAt: time),
                    .init(
                        origin: "rial.example/log/2023", key: "k5", openedAt: time.addingTimeInterval(-4), closedAt: time, isGivenUp: true,
                        frozenAt: time),
                ],
                checkpoints: [.init(origin: newest, size: 12_345, root: [UInt8](repeating: 0xff, count: 32), publishedAt: time)],
                cosignatures: [.init(origin: newest, size: 12_345, witness: "witness.example/<w1>", at: time)]))
        let site = TestSite(SiteSettings(publicURL: publicURL, logPolicy: "quorum none\n"), log: log)
        let html = try await site.get("/log?lang=\(language.rawValue)").text()
        let isEnglish = language == .english
        #expect(html.contains(isEnglish ? "12,345" : "12.345") && html.contains("witness.example/&lt;w1&gt;"))
        #expect(html.contains("rial log monitor https://rial.example/log/2027 --policy") && html.contains("rial witness run"))
        #expect(html.contains("//////////////////////////////////////////8="))
        #expect(html.contains(isEnglish ? "Closed on 1 November 2026" : "Cerrada el 1 de noviembre de 2026"))
        #expect(html.contains(isEnglish ? "Stopped since" : "Detenida desde el"))
        #expect(html.contains(isEnglish ? "Later parts are not affected" : "No afecta a las partes posteriores"))
        #expect(html.contains(isEnglish ? "it ends where it was published last" : "termina donde se publicó por última vez"))
        #expect(html.contains("quorum none") && html.contains("href=\"/log/policy\""))
        let ours = isEnglish ? "This is ours, as a beginning" : "Esta es la nuestra, para empezar"
        #expect(html.contains(ours))
        // Not "yet": it may be that no witness is asked for.
        #expect(html.contains(isEnglish ? "None has confirmed this state.</dd>" : "Ninguno ha confirmado este estado.</dd>"))
        let none = try await TestSite().get("/log?lang=\(language.rawValue)").text()
        #expect(none.contains(isEnglish ? "There is no log here yet." : "Aquí todavía no hay registro."))
        #expect(!none.contains("href=\"/log/policy\"") && !none.contains(ours))
        #expect(none.contains(isEnglish ? "This installation has none yet." : "Esta instalación aún no tiene ninguna."))
    }

    @Test("a file that the reader chose is shown only where there is a drop zone")
    func blobs() async throws {
        let site = TestSite()
        #expect(try await site.get("/").headers[.contentSecurityPolicy]?.contains("img-src 'self' blob:;") == true)
        #expect(try await site.get("/verify-file").headers[.contentSecurityPolicy]?.contains("blob:") == true)
        #expect(try await site.get("/methodology").headers[.contentSecurityPolicy]?.contains("img-src 'self';") == true)
        let pages = makePages().pages
        #expect(pages.record(Samples.record(named: "processing"), similar: nil, .english).showsLocalFiles)
        #expect(!pages.record(Samples.record(kind: .photo), similar: nil, .english).showsLocalFiles)
    }

    @Test("pictures may come from the public store, and from nowhere else")
    func mediaOrigin() throws {
        let endpoint = URL(string: "https://media.example:8443/bucket?x=1")
        let headers = SiteHeaders(settings: SiteSettings(publicURL: publicURL, mediaEndpoint: endpoint), cssDigest: "x", portablePolicy: "")
        #expect(headers.policy(showsLocalFiles: false).contains("img-src 'self' https://media.example:8443;"))
    }

    @Test("every page has the usual headers", arguments: ["/", "/methodology", "/verify-file", "/log", "/bundle", "/nothing"])
    func headers(path: String) async throws {
        let fields = try await TestSite().get(path).headers
        #expect(fields[.xContentTypeOptions] == "nosniff" && fields[.referrerPolicy] == "no-referrer")
        #expect(fields[.crossOriginOpenerPolicy] == "same-origin" && fields[.permissionsPolicy]?.contains("camera=()") == true)
        #expect(fields[.strictTransportSecurity] == "max-age=31536000")
        #expect(fields[.vary]?.hasSuffix("Accept-Encoding, Accept-Language, Cookie") == true && fields[.contentLanguage] == "en")
        #expect(try await TestSite(SiteSettings(publicURL: "http://rial.example")).get(path).headers[.strictTransportSecurity] == nil)
    }

    @Test("a page that has not changed is not sent again; another language is another page")
    func entityTags() async throws {
        let site = TestSite()
        let first = try await site.get("/methodology")
        let tag = try #require(first.headers[.eTag])
        #expect(first.headers[.cacheControl] == "no-cache")
        let again = try await site.get("/methodology", [.ifNoneMatch: tag])
        #expect(again.status == .notModified)
        #expect(try await again.text().isEmpty)
        #expect(try await site.get("/methodology", [.ifNoneMatch: tag, .acceptLanguage: "es"]).status == .ok)
    }

    @Test(
        "a page is compressed for those who take it so, as another representation",
        arguments: ["/", "/methodology", "/log", "/bundle", "/nothing"])
    func compressedPages(path: String) async throws {
        let site = TestSite()
        let plain = try await site.get(path)
        #expect(plain.headers[.contentEncoding] == nil)
        let taking: HTTPFields = [.accept: "text/html", .acceptEncoding: "br, gzip"]
        let coded = try await site.get(path, taking)
        #expect(coded.status == plain.status && coded.headers[.contentEncoding] == "gzip")
        let (whole, bytes) = (try await plain.bytes(), try await coded.bytes())
        #expect(inflated(bytes, limit: whole.count) == whole && bytes.count < whole.count / 2)
        guard let tag = plain.headers[.eTag] else { return }
        let other = try #require(coded.headers[.eTag])
        #expect(other != tag)
        #expect(try await site.get(path, [.acceptEncoding: "gzip", .ifNoneMatch: other]).status == .notModified)
        #expect(try await site.get(path, [.ifNoneMatch: other]).status == .ok)
    }

    @Test(
        "gzip is taken by its name or by a star, unless it has no weight",
        arguments: [
            ("gzip", true), ("x-gzip", true), ("deflate, GZIP;q=0.1", true), ("*", true), ("*;q=0.5", true), ("gzip;q=0", false),
            ("*, gzip;q=0", false), ("br, deflate", false), ("identity", false), ("", false), ("gzip;q=x", false), ("gzipped", false),
        ])
    func takesGzip(field: String, isTaken: Bool) {
        #expect(ContentCoding.isGzipTaken(by: makeRequest(.get, "/", [.acceptEncoding: field])) == isTaken)
    }

    @Test("scripts and SVG are compressed, pictures and what is small are not")
    func compressedAssets() async throws {
        let site = TestSite()
        for path in ["/assets/js/file.js", "/assets/js/result.js"] {
            let (plain, coded) = (try await site.get(path), try await site.get(path, [.acceptEncoding: "gzip"]))
            let whole = try await plain.bytes()
            #expect(coded.headers[.contentEncoding] == "gzip" && coded.headers[.vary] == "Accept-Encoding")
            #expect(plain.headers[.contentEncoding] == nil && plain.headers[.vary] == "Accept-Encoding")
            #expect(inflated(try await coded.bytes(), limit: whole.count) == whole)
            #expect(coded.headers[.eTag] != plain.headers[.eTag])
            let tag = try #require(coded.headers[.eTag])
            #expect(try await site.get(path, [.acceptEncoding: "gzip", .ifNoneMatch: tag]).status == .notModified)
        }
        for path in ["/assets/img/example-real.jpg", "/robots.txt"] {
            #expect(try await site.get(path, [.acceptEncoding: "gzip"]).headers[.contentEncoding] == nil)
        }
    }

    @Test("records are kept from search engines unless the operator lists them; unfinished ones always")
    func indexing() throws {
        func html(_ name: String, isListed: Bool) throws -> String {
            let pages = makePages(SiteSettings(publicURL: publicURL, listsRecords: isListed)).pages
            return try pages.html(pages.record(Samples.record(named: name), similar: nil, .english), .english)
        }
        #expect(try html("high", isListed: false).contains("<meta name=\"robots\" content=\"noindex\">"))
        #expect(!(try html("high", isListed: true).contains("noindex")))
        #expect(try html("processing", isListed: true).contains("noindex"))
        let headers = makePages().headers
        #expect(headers.page(.english, isIndexed: false, showsLocalFiles: false)[.robotsTag] == "noindex")
        #expect(headers.page(.english, isIndexed: true, showsLocalFiles: false)[.robotsTag] == nil)
    }

    @Test(
        "each page is in the reader's language, with the other beside it",
        arguments: ["/", "/methodology", "/verify-file", "/log", "/bundle"])
    func languages(path: String) async throws {
        let html = try await TestSite().get(path, [.acceptLanguage: "es-ES"]).text()
        #expect(html.contains("<html lang=\"es\">") && html.contains(">English</a>"))
        #expect(html.contains("hreflang=\"en\" href=\"\(publicURL)\(path)?lang=en\""))
        #expect(html.contains("rel=\"canonical\" href=\"\(publicURL)\(path)\""))
        #expect(try await TestSite().get(path + "?lang=en", [.acceptLanguage: "es"]).text().contains("<html lang=\"en\">"))
    }

    @Test("the methodology names the versions of the methods and the four levels")
    func methodology() async throws {
        let html = try await TestSite().get("/methodology").text()
        #expect(html.contains("relief-2") && html.contains("app-attest-2"))
        #expect(["badge high", "badge medium", "badge low", "badge suspicious"].allSatisfy(html.contains))
    }

    @Test("an id in capitals leads to the one address of the record")
    func canonical() async throws {
        let response = try await TestSite().get("/verify/\(Samples.id.description.uppercased())")
        #expect(response.status == .movedPermanently && response.headers[.location] == "/verify/\(Samples.id)")
        let spanish = try await TestSite().get("/verify/\(Samples.id.description.uppercased())?lang=es")
        #expect(spanish.status == .movedPermanently && spanish.headers[.location] == "/verify/\(Samples.id)?lang=es")
    }

    @Test("scripts have an address that changes with them, and may be kept for ever there")
    func assets() async throws {
        let site = TestSite()
        let html = try await site.get("/verify-file").text()
        let path = try #require(html.firstMatch(of: #/<script type="module" src="([^"]+)">/#)?.output.1)
        #expect(path == "/assets/\(resources.scriptVersion)/js/file.js")
        let script = try await site.get(String(path))
        #expect(script.headers[.contentType] == "text/javascript; charset=utf-8")
        #expect(script.headers[.cacheControl] == "public, max-age=31536000, immutable")
        let folder = path.split(separator: "/").dropLast().joined(separator: "/")
        for name in ["hash-worker.js", "result.js", "sha256.js", "time.js", "live.js"] {
            #expect(try await site.get("/\(folder)/\(name)").status == .ok)
        }
        let plain = try await site.get("/assets/js/file.js")
        #expect(plain.headers[.cacheControl]?.contains("immutable") == false)
        #expect(try await site.get("/assets/000000000000/js/file.js").headers[.cacheControl]?.contains("immutable") == false)
        let tag = try #require(plain.headers[.eTag])
        #expect(try await site.get("/assets/js/file.js", [.ifNoneMatch: tag]).status == .notModified)
        #expect(try await site.get("/assets/icon.svg").headers[.contentType] == "image/svg+xml")
        #expect(try await site.get("/favicon.ico").status == .ok)
        #expect(try await site.get("/assets/img/example-real.jpg").headers[.contentType] == "image/jpeg")
    }

    @Test("other sites may show the card of a shared page, and nothing else")
    func crossOrigin() async throws {
        let site = TestSite()
        let policy = try #require(HTTPField.Name("Cross-Origin-Resource-Policy"))
        let html = try await site.get("/").text()
        let card = try #require(html.firstMatch(of: #/<meta property="og:image" content="https:\/\/rial\.example(\/[^"]+)">/#)?.output.1)
        #expect(try await site.get(String(card)).headers[policy] == "cross-origin")
        for path in ["/assets/img/example-real.jpg", "/assets/js/file.js", "/assets/icon.svg", "/favicon.ico", "/"] {
            #expect(try await site.get(path).headers[policy] == "same-origin")
        }
    }

    @Test(
        "nothing else of the installation is an asset",
        arguments: [
            "/assets/strings.json", "/assets/templates/head.mustache", "/assets/js/../strings.json", "/assets/..%2fstrings.json",
            "/assets/js/none.js",
        ])
    func noAsset(path: String) async throws {
        #expect(try await TestSite().get(path).status == .notFound)
    }

    @Test("robots may read records, to learn which are not to be listed, but not the API")
    func robots() async throws {
        let text = try await TestSite().get("/robots.txt").text()
        #expect(text.contains("Disallow: /api/") && !text.contains("/verify") && !text.contains("/media"))
    }
}
