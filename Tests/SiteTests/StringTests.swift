import CaptureProtocol
import Foundation
import Models
import TestSupport
import Testing

@testable import Site

@Suite("Strings")
struct StringTests {
    @Test("every string that the code names is in the table, in every language")
    func named() throws {
        let named = Set(
            try Self.code().matches(
                of:
                    #/"((?:hw|dp|time|model|size|loc|cc|h1|note|fact|m|zone|st|ck|proc|failed|hash|depth|view|legend|tally|similar|file|c2|err|home|how|site|title|dev|bind|badge|alt|span|ev|log|bundle)(?:\.[a-z0-9]+)+)"/#
            )
            .map { String($0.output.1) })
        #expect(named.count > 120)
        // Without file names, which look like keys.
        #expect(named.subtracting(["file.js", "site.css"]).subtracting(resources.strings.keys).isEmpty)
    }

    @Test("keys that are put together exist")
    func composed() { #expect(Self.composedKeys.subtracting(resources.strings.keys).isEmpty) }

    @Test("every string is used: by the code, by a template, or in place of one that is used on the page of a video")
    func used() throws {
        let inCode = Set(try Self.code().matches(of: #/"([a-z][a-z0-9]*(?:\.[a-z0-9]+)*)"/#).map { String($0.output.1) })
        let inTemplates = try resources.templates(.english, .photo).stringNames
        func isUsed(_ key: String) -> Bool {
            inCode.contains(key) || Self.composedKeys.contains(key) || inTemplates.contains(StringTable.templateName(key))
        }
        let unused = resources.strings.keys.filter { !isUsed($0) && !($0.hasSuffix(".video") && isUsed(String($0.dropLast(6)))) }
        #expect(unused.isEmpty, "\(unused.sorted())")
    }

    /// Keys that the code puts together.
    private static let composedKeys: Set<String> = {
        var keys = Badge.levels.flatMap { ["badge.\($0.rawValue)", "how.levels.\($0.rawValue)"] }
        keys += CredentialsFinding.allCases.flatMap { ["c2.\($0.rawValue)", "c2.\($0.rawValue).state"] }
        keys += CheckStatus.counted.flatMap { ["tally.\($0.styleClass)", "tally.\($0.styleClass).one", "st.\($0.rawValue)"] }
        keys += CheckRow.Check.allCases.map { "ck.\($0.rawValue)" }
        keys += ["real", "flat", "undecided", "nolidar"].flatMap { ["depth.\($0)", "depth.\($0).is"] }
        keys += ["depth.real.not", "depth.flat.not", "m.consistency.text", "m.stability.text"]
        keys += ["404", "410", "410.link", "429", "500", "503", "400"].flatMap { ["err.\($0)", "err.\($0).more"] }
        keys += ["second", "minute", "hour", "day"].flatMap { ["span.\($0)", "span.\($0).one"] }
        return Set(keys)
    }()

    @Test("words that templates use are in the table")
    func templates() throws {
        for language in Language.allCases {
            for type in [CaptureType.photo, .video] {
                let names = try resources.templates(language, type).stringNames
                #expect(names.count > 150)
                #expect(names.subtracting(resources.strings.keys.map(StringTable.templateName)).isEmpty)
            }
        }
    }

    @Test("a string that templates would take for their own is refused")
    func braces() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "templates-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("<p title=\"{{t.a_b}}\">{{t.a_b}}</p>".utf8).write(to: folder.appending(path: "page.mustache"))
        let templates = try Templates(folder: folder, strings: StringTable(language: .english, ["a.b": "\"1\" < {n} & 2"]))
        let text = "&quot;1&quot; &lt; {n} &amp; 2"
        #expect(try templates.render("page", [:]) == "<p title=\"\(text)\">\(text)</p>")
        for word in ["{{css}}", "a {{> head}}", "{{{css}}}"] {
            #expect(throws: SiteError.self) { try Templates(folder: folder, strings: StringTable(language: .english, ["a.b": word])) }
        }
    }

    @Test(
        "a table that lacks something does not start",
        arguments: [
            #"{"a": {"en": "x"}}"#, #"{"a": {"en": "x", "es": ""}}"#, #"{"a": {"en": "{n} x", "es": "x"}}"#, #"{"a": "x"}"#, "[]", "",
        ])
    func unsound(json: String) {
        #expect(throws: SiteError.self) { try SiteStrings(json: Data(json.utf8)) }
    }

    @Test("a missing template, table of strings or style sheet does not start")
    func incomplete() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "site-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = Self.root.appending(path: "Shared/Site/Resources").resolvingSymlinksInPath()
        for missing in ["strings.json", "site.css", "templates/head.mustache", "icon.svg", "js/verify.js", "bundle/note.js"] {
            try? FileManager.default.removeItem(at: folder)
            try FileManager.default.copyItem(at: source, to: folder)
            _ = try SiteResources(folder: folder)
            try FileManager.default.removeItem(at: folder.appending(path: missing))
            #expect(throws: SiteError.self) { try SiteResources(folder: folder) }
        }
        try FileManager.default.removeItem(at: folder)
        try FileManager.default.copyItem(at: source, to: folder)
        try Data("{{t.no_such_string}}".utf8).write(to: folder.appending(path: "templates/extra.mustache"))
        #expect(throws: SiteError.self) { try SiteResources(folder: folder) }
    }

    @Test("a video has its own strings where there are any")
    func video() {
        #expect(resources.strings(.english, .video)("h1.high").contains("this video"))
        #expect(resources.strings(.english, .photo)("h1.high").contains("this photo"))
        #expect(resources.strings(.spanish, .video)("fact.captured") == "Capturado")
    }

    @Test("no text promises that of a place only the city is public: the data have rounded coordinates too", arguments: Language.allCases)
    func place(language: Language) {
        let strings = resources.strings(language)
        let promises = resources.strings.keys.filter {
            strings($0).contains(#/only the nearest city|nearest city only|solo (?:\w+ )?la ciudad/#.ignoresCase())
        }
        #expect(promises.isEmpty)
        for key in ["how.data.p2", "loc.pass.more"] {
            #expect(strings(key).contains(language == .english ? "rounded to about a kilometre" : "redondeadas a un kilómetro"))
        }
    }

    @Test("no text takes every place for a city: where none is near, the name is a country's, or \"at sea\"", arguments: Language.allCases)
    func placesWithoutCity(language: Language) {
        let strings = resources.strings(language)
        for key in ["fact.city", "loc.pass"] {
            #expect(!strings(key).replacing("{city}", with: "").contains(#/city|ciudad/#), "\(key)")
        }
        for key in ["how.data.p2", "loc.pass.more"] {
            #expect(strings(key).contains(language == .english ? "or the country or the sea" : "o el país o el mar"), "\(key)")
        }
    }

    @Test("every text about files that are looked up says for how long look-ups are remembered", arguments: Language.allCases)
    func lookUps(language: Language) {
        let strings = resources.strings(language)
        for key in ["file.note", "file.consent", "file.consent.form", "how.stored.p3"] { #expect(strings(key).contains("30"), "\(key)") }
        // A fingerprint that is sent without its file is remembered too.
        #expect(strings("how.stored.p3").contains(language == .english ? "In both cases its fingerprint" : "En ambos casos, su huella"))
    }

    @Test("entries of a withdrawn record are said to open only to evidence files from before", arguments: Language.allCases)
    func withdrawn(language: Language) {
        let told = resources.strings(language)("log.limits.p2")
        #expect(
            told.contains(language == .english ? "Only evidence files that were saved before" : "los archivos de indicios guardados antes"))
    }

    @Test("a value with braces stays as it is")
    func values() {
        let strings = StringTable(language: .english, ["a": "{x} and {y}", "b": "open { and {x"])
        #expect(strings("a", ["x": "{y}", "y": "{x}"]) == "{y} and {x}")
        #expect(strings("a", ["x": "1"]) == "1 and {y}")
        #expect(strings("b", ["x": "1"]) == "open { and {x")
    }

    @Test(
        "spans are told in the largest unit that leaves them exact enough",
        arguments: [
            (-5, "0 seconds"), (1, "1 second"), (60, "1 minute"), (90, "90 seconds"), (150, "2 minutes"), (3600, "1 hour"),
            (7300, "2 hours"),
            (86_400, "1 day"), (200_000, "2 days"), (1e300, "1,157,407 days"),
        ])
    func spans(seconds: Double, text: String) {
        #expect(ValueFormatter(strings: resources.strings(.english)).span(seconds) == text)
    }

    @Test(
        "shares are told in whole per cent, and in tenths where these would put them at a threshold that they are not at",
        arguments: [
            (0.0996, "9.9"), (0.1, "10"), (0.1004, "10.1"), (0.1996, "19.9"), (0.2, "20"), (0.2004, "20.1"), (0.2049, "20.5"),
            (0.4996, "49.9"), (0.5, "50"), (0.7996, "79.9"), (0.8, "80"), (0.896, "89.6"), (0.9, "90"), (0.996, "99.6"),
            (0.99999, "99.9"), (1, "100"), (0, "0"), (0.004, "0"), (0.1249, "12"), (0.3751, "38"), (3, "300"),
        ] as [(Double, String)])
    func percentages(share: Double, text: String) {
        #expect(ValueFormatter(strings: resources.strings(.english)).percentage(share) == text)
        let spanish = ValueFormatter(strings: resources.strings(.spanish)).percentage(share)
        #expect(spanish == text.replacing(".", with: ","))
    }

    @Test(
        "two shares are told in whole per cent if these add up, else in tenths",
        arguments: [
            (0.03, 0.34, "3", "34"), (0.1249, 0.1249, "12.5", "12.5"), (0.126, 0.126, "12.6", "12.6"), (0.12, 0.02, "12", "2"),
        ])
    func twoShares(one: Double, other: Double, first: String, second: String) {
        let told = ValueFormatter(strings: resources.strings(.english)).percentages(one, other)
        #expect(told.0 == first && told.1 == second)
    }

    @Test("numbers, sizes and dates are those of the language")
    func formatter() {
        let (english, spanish) = (
            ValueFormatter(strings: resources.strings(.english)), ValueFormatter(strings: resources.strings(.spanish))
        )
        #expect(english.metres(0.423) == "0.42" && spanish.metres(0.423) == "0,42" && english.metres(12.34) == "12")
        #expect(english.size(999) == "1 kB" && english.size(18_400) == "18 kB" && spanish.size(3_440_000) == "3,4 MB")
        #expect(english.day(Samples.captured) == "22 November 2025" && spanish.day(Samples.captured) == "22 de noviembre de 2025")
        #expect(english.second(Date(timeIntervalSince1970: 1_763_807_404.9996)) == "22 November 2025, 10:30:04 UTC")
        #expect(ValueFormatter.iso(Date(timeIntervalSince1970: 1_763_807_404.9996)) == "2025-11-22T10:30:04Z")
    }

    /// All code of the site.
    private static func code() throws -> String {
        let site = root.appending(path: "Shared/Site").resolvingSymlinksInPath()
        let files = try #require(FileManager.default.enumerator(at: site, includingPropertiesForKeys: nil))
        var code = ""
        for case let file as URL in files where file.pathExtension == "swift" { code += try String(contentsOf: file, encoding: .utf8) }
        return code
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}
