import CaptureProtocol
import Foundation
import Models
import TestSupport
import Testing

@testable import Site

@Suite("Text of unknown origin")
struct InjectionTests {
    /// Each attack ends in a word that must not become part of the page's markup.
    static let attacks = [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onfocus='alert(1)", "</title><svg onload=alert(1)>",
        "{{{css}}}{{h1}}", "{model}{city}", "javascript:alert(1)", "&lt;b&gt;", "<!--", "]]><x>", "\u{0}<b>\u{1b}[31m",
        // A combining mark, which forms one grapheme cluster with the character before or after it.
        "\"\u{301} onmouseover=\"alert(1)", "'\u{301} onmouseover='alert(1)", "<\u{301}b>x</b\u{301}>",
        "\u{d4e}\" autofocus onfocus=\u{d4e}\"x", "&\u{20e3}lt;",
        // Characters that change the text direction.
        "iPhone \u{202e}oPr 51\u{202c}", "\u{2066}x\u{2069}\u{2069}", "a\u{200f}b\u{200e}c\u{61c}d", "\u{fe0f}\u{e0041}x",
        "line\u{2028}break\u{2029}\n\r\tend",
    ]

    @Test("is text and nothing else, in every field of a record", arguments: attacks, Language.allCases)
    func record(attack: String, language: Language) throws {
        let harmless = Samples.record(Samples.Evidence(model: "M", location: MetadataCheck(.pass), place: "P"), kind: .photo)
        let hostile = Samples.record(Samples.Evidence(model: attack, location: MetadataCheck(.pass), place: attack), kind: .photo)
        let similar = { (place: String) in
            SimilarCaptures(
                [
                    SimilarCapture(
                        id: Samples.id, confidence: .low, isDevelopment: false, capturedAt: .exact(Samples.captured), place: place)
                ],
                devices: 2)
        }
        let html = try Samples.html(hostile, language, similar: similar(attack))
        #expect(Self.skeleton(html) == Self.skeleton(try Samples.html(harmless, language, similar: similar("P"))))
        Self.expectNoDirections(html)
    }

    @Test("is text and nothing else while a record is being checked", arguments: attacks)
    func processing(attack: String) throws {
        let html = try makePages().html(
            RecordView(Self.processing(attack), similar: nil, strings: resources.strings(.english), publicURL: publicURL).page(
                isIndexed: false), .english)
        let harmless = try makePages().html(
            RecordView(Self.processing("M"), similar: nil, strings: resources.strings(.english), publicURL: publicURL).page(
                isIndexed: false),
            .english)
        #expect(Self.skeleton(html) == Self.skeleton(harmless))
        Self.expectNoDirections(html)
    }

    @Test(
        "is text and nothing else, in every field of a stranger's manifest", arguments: attacks,
        ["trusted", "valid", "invalid", "remote", "x"])
    func manifest(attack: String, state: String) throws {
        let html = try Self.filePage(Self.info(attack, state: state))
        #expect(Self.skeleton(html) == Self.skeleton(try Self.filePage(Self.info("X", state: state))))
        Self.expectNoDirections(html)
    }

    @Test("in the address of a missing page leads nowhere else", arguments: attacks)
    func address(attack: String) throws {
        let path = "/" + (attack.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? "")
        for place in [path, "/" + attack] {
            let page = Self.errorPage(place)
            let html = try makePages().html(page, .english)
            #expect(Self.skeleton(html) == Self.skeleton(try makePages().html(Self.errorPage("/"), .english)))
        }
    }

    @Test("of an invalid manifest nothing is repeated but its codes")
    func invalid() throws {
        let html = try Self.filePage(Self.info("Secret Name", state: "invalid"), code: "assertion.dataHash.mismatch")
        #expect(!html.contains("Secret Name") && html.contains("assertion.dataHash.mismatch"))
    }

    @Test("is cut at 120 characters, the whole behind a button, and even that has an end")
    func cut() throws {
        let long = try #require(UntrustedText(String(repeating: "ab ", count: 5000)))
        #expect(long.shown.unicodeScalars.count == 120 && long.shown.hasSuffix("…"))
        #expect((long.whole?.unicodeScalars.count ?? 0) == UntrustedText.wholeLimit)
        let marks = try #require(UntrustedText("a" + String(repeating: "\u{301}", count: 100_000)))
        #expect(marks.shown.unicodeScalars.count <= 120 && (marks.whole?.unicodeScalars.count ?? 0) <= UntrustedText.wholeLimit)
        #expect(UntrustedText(String(repeating: "x", count: 120))?.whole == nil)
        #expect(UntrustedText("\u{200b}\u{202e} \n") == nil && UntrustedText(nil) == nil)
        let html = try Samples.html(Samples.record(Samples.Evidence(model: String(repeating: "x", count: 200)), kind: .photo))
        #expect(html.contains("<summary>Show the whole text</summary><bdi>\(String(repeating: "x", count: 200))</bdi>"))
    }

    @Test("inside a sentence it is isolated, outside it has an element of its own")
    func isolated() throws {
        let evidence = Samples.Evidence(
            model: "שלום", modelCheck: MetadataCheck(.unavailable, reason: .modelUnknown), location: MetadataCheck(.pass), place: "مدينة")
        let html = try Samples.html(Samples.record(evidence, kind: .photo))
        #expect(html.contains("\u{2068}שלום\u{2069} is not in our table of models") && html.contains("<bdi>שלום</bdi> (as reported)"))
        #expect(html.contains("\u{2068}مدينة\u{2069} (approximate)") && html.contains("<bdi>مدينة</bdi> (approximate)"))
    }

    @Test("stays inside an attribute", arguments: attacks)
    func attribute(attack: String) throws {
        let picture = { (text: String) in
            try resources.templates(.english, nil).render(
                "photo", ["src": text, "srcset": text, "sizes": text, "width": 1, "height": 1, "alt": text])
        }
        #expect(Self.skeleton(try picture(attack)) == Self.skeleton(try picture("x")))
    }

    @Test("has no code point left that means something in HTML, whatever stands around it", arguments: attacks)
    func references(attack: String) {
        for text in [attack, attack + attack, "\u{d4e}" + attack + "\u{301}"] {
            let escaped = MarkupText.escape(text)
            #expect(!escaped.unicodeScalars.contains { "<>\"'".unicodeScalars.contains($0) })
            let plain = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
                .reduce(Array(escaped.unicodeScalars)) { scalars, reference in
                    Self.replacing(Array(reference.0.unicodeScalars), with: Array(reference.1.unicodeScalars), in: scalars)
                }
            #expect(plain == Array(text.unicodeScalars))
        }
        #expect(MarkupText.escape("e\u{301}<b>👩‍👧 \"x\"") == "e\u{301}&lt;b&gt;👩‍👧 &quot;x&quot;")
        #expect(MarkupText.escape("\"\u{301}&") == "&quot;\u{301}&amp;")
    }

    /// Replaces by code points, since strings compare grapheme clusters.
    private static func replacing(_ part: [Unicode.Scalar], with other: [Unicode.Scalar], in text: [Unicode.Scalar]) -> [Unicode.Scalar] {
        var result: [Unicode.Scalar] = []
        var rest = text[...]
        while let first = rest.first {
            if rest.starts(with: part) {
                result += other
                rest = rest.dropFirst(part.count)
            } else {
                result.append(first)
                rest = rest.dropFirst()
            }
        }
        return result
    }

    private static func errorPage(_ path: String) -> Page {
        makePages().error(PageFailure(status: 429, path: path, requestID: "1", retrySeconds: 60), .english)
    }

    private static func processing(_ model: String) -> PublicRecord {
        PublicRecord(
            id: Samples.id, kind: .photo, status: .processing, failure: nil, confidence: nil,
            mediaHash: Samples.digest, capturedAt: .exact(Samples.captured), receivedAt: .exact(Samples.received), evidence: nil,
            hasPlace: false,
            model: model.isEmpty ? "M" : model, isDevelopment: false, signedAt: nil, issuer: nil, finished: [], media: [:])
    }

    private static func info(_ text: String, state: String) -> ManifestInfo {
        var report = CredentialReport(state: CredentialReport.State(rawValue: state) ?? .unreadable)
        report.generator = text
        report.title = text
        report.issuer = text
        report.remoteURL = "https://\(text)/x"
        report.validationCodes = [.init(code: text, kind: .failure)]
        return ManifestInfo(report)
    }

    private static func filePage(_ info: ManifestInfo, code: String? = nil) throws -> String {
        var info = info
        if let code {
            var report = CredentialReport(state: .invalid)
            report.title = "Secret Name"
            report.issuer = "Secret Name"
            report.validationCodes = [.init(code: code, kind: .failure)]
            info = ManifestInfo(report)
        }
        return try makePages().html(makePages().file(.credentials(info, digest: Samples.digest), .english), .english)
    }

    /// The tags with their attributes' names, parsed like a browser: by code points, from quotation mark to quotation mark.
    private static func skeleton(_ html: String) -> [String] {
        var tags: [String] = []
        let scalars = Array(html.unicodeScalars)
        var index = 0
        while index < scalars.count {
            guard scalars[index] == "<", index + 1 < scalars.count, scalars[index + 1].isASCII, isTagStart(scalars[index + 1]) else {
                index += 1
                continue
            }
            var tag = ""
            var quote: Unicode.Scalar?
            index += 1
            while index < scalars.count {
                let scalar = scalars[index]
                if let open = quote {
                    if scalar == open { quote = nil }
                } else if scalar == ">" {
                    break
                } else if scalar == "\"" || scalar == "'" {
                    quote = scalar
                } else {
                    tag.unicodeScalars.append(scalar)
                }
                index += 1
            }
            tags.append(tag)
        }
        return tags
    }

    private static func isTagStart(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || "/!?".unicodeScalars.contains(scalar)
    }

    /// Expects no direction-changing characters, except for our isolates, each of which must be closed.
    private static func expectNoDirections(_ html: String) {
        let forbidden: Set<UInt32> = [0x200e, 0x200f, 0x061c, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067]
        #expect(!html.unicodeScalars.contains { forbidden.contains($0.value) || ($0.value < 0x20 && $0 != "\n") })
        var depth = 0
        for scalar in html.unicodeScalars {
            if scalar == "\u{2068}" { depth += 1 } else if scalar == "\u{2069}" { depth -= 1 }
            #expect((0...1).contains(depth))
        }
        #expect(depth == 0)
    }
}
