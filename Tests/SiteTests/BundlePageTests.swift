import Foundation
import Testing

@testable import Site

@Suite("The page for evidence files")
struct BundlePageTests {
    @Test("its script names only words that the page has, in every language", arguments: Language.allCases)
    func words(language: Language) throws {
        let html = try makePages().html(makePages().bundle(language), language)
        let there = Set(html.matches(of: #/<p data-word="([^"]+)"/#).map { String($0.output.1) })
        let script = resources.bundleScript.text
        var named = Set(script.matches(of: #/\b(?:word|fact)\('([a-z]+(?:\.[a-z]+)*)'/#).map { String($0.output.1) })
        named.formUnion(script.matches(of: #/'((?:bad|done|by)\.[a-z]+)'/#).map { String($0.output.1) })
        // What a check finds, and where it stands in the report.
        let codes = Set(script.matches(of: #/(?:mustRead|mustHold)\(.*?, '([a-z]+)'/#).map { String($0.output.1) })
        #expect(codes.count > 15)
        named.formUnion(codes.map { "bad.\($0)" })
        for kind in ["wrong", "unreadable", "text", "browser", "file"] { named.formUnion(["\(kind).h", "\(kind).more"]) }
        for kind in ["proved", "alone", "revoked", "policy"] {
            #expect(script.contains("'\(kind)'"))
            named.formUnion(["\(kind).h"] + (kind == "policy" ? [] : ["\(kind).more"]))
        }
        for code in ["none", "log", "quorum"] { named.formUnion(["policy.\(code)", "done.no.\(code)"]) }
        for each in ["later", "witnesses", "confidence", "media", "tokens", "credentials", "attestation", "raw", "depth"] {
            #expect(script.contains("'\(each)'"))
            named.insert("not.\(each)")
        }
        named.formUnion(["pass", "fail", "inconclusive", "unavailable"].map { "status.\($0)" })
        named.formUnion(["hardware", "chain", "depth", "timestamp", "model", "resolution", "location"].map { "check.\($0)" })
        named.formUnion(["assessment", "credentials", "reassessment", "revocation"].map { "kind.\($0)" })
        named.formUnion(["form", "statements", "evidence", "level"].map { "done.\($0)" })
        named.formUnion(["reason.device_revoked", "level", "level.before"])
        #expect(named.subtracting(there).isEmpty && there.subtracting(named).isEmpty, "\(named.symmetricDifference(there).sorted())")
    }

    @Test(
        "its sentence does not say that the level follows from the checks: by an unknown rule that is not checked",
        arguments: Language.allCases)
    func level(language: Language) {
        let strings = resources.strings(language)
        for key in ["bundle.proved.more", "bundle.alone.more"] { #expect(!strings(key).contains(#/level|nivel/#), "\(key)") }
        #expect(resources.bundleScript.text.contains("unchecked.includes('confidence') ? [] : ['level']"))
    }

    @Test("its script has its parts in their order, and no comments")
    func script() throws {
        let text = resources.bundleScript.text
        let order = [
            "class Finding", "function readArchive", "function readStatement", "function readNote", "function readPolicy",
            "function verifyEvidence", "function verifyBundle", "function report", "onFiles('drop'",
        ].map { text.range(of: $0)?.lowerBound }
        #expect(!order.contains(nil) && order.compactMap(\.self) == order.compactMap(\.self).sorted())
        #expect(!text.contains("\n//") && !text.contains("/**") && !text.contains("\n "))
    }

    @Test("a script that would end in the page is none")
    func unsound() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bundle-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for part in BundleScript.parts {
            try Data("/** One. */\n// Two.\n  a();\n/**\n * Three.\n */\nb();\n".utf8).write(to: folder.appending(path: "\(part).js"))
        }
        #expect(try BundleScript(folder: folder).text == BundleScript.parts.map { _ in "a();\nb();" }.joined(separator: "\n"))
        for text in ["'</script>'", "'<!--'"] {
            try Data(text.utf8).write(to: folder.appending(path: "note.js"))
            #expect(throws: SiteError.self) { try BundleScript(folder: folder) }
        }
    }
}
