import CaptureProtocol
import Foundation
import Models
import TestSupport
import Testing

@testable import Site

@Suite("Result of a file without JavaScript")
struct FileResultTests {
    @Test("a file on record is shown with what the evidence says and a link to all of it", arguments: Language.allCases)
    func found(language: Language) throws {
        let html = try Self.html(Self.known(.low), language)
        #expect(html.contains("class=\"badge low\"") && html.contains("href=\"/verify/\(Samples.id)\""))
        #expect(html.contains(Samples.digest.hex) && html.contains("iPhone 15 Pro"))
        #expect(html.contains(language == .english ? "5 passed" : "5 superadas"))
        #expect(html.contains(language == .english ? "This exact file is on record" : "Este archivo exacto consta en el registro"))
    }

    @Test(
        "what the file is of the record has its sentence",
        arguments: [
            (MediaRole.original, "This exact file is on record"), (.signedCopy, "This is the copy we signed"),
            (.publicCopy, "This is the public copy we made, which is not signed"),
            (.manifest, "These are the Content Credentials we made, without their file"),
            (.thumbnail, "This is the small preview we made"), (.poster, "This is a still we made from the video"),
            (.playback, "This is the smaller copy we made for playing"),
            (.depthPreview, "This is a picture we made from the depth"), (.depthFrames, "This is a picture we made from the depth"),
            (.shareCard, "This is the picture we made for sharing"),
        ])
    func matched(matched: MediaRole, title: String) throws {
        #expect(try Self.html(Self.known(.high, matched: matched)).contains("class=\"told\">\(title)</h2>"))
    }

    @Test("a verdict that was taken back is shown as such, not as its level")
    func revoked() throws {
        let file = KnownFile(
            matched: .original, captureID: Samples.id, confidence: .high, evidence: Samples.record(named: "high").evidence, isRevoked: true,
            others: [
                .init(
                    captureID: CaptureID(), confidence: .high, isDevelopment: false, isRevoked: true, receivedAt: .exact(Samples.received))
            ])
        let html = try Self.html(.known(file, digest: Samples.digest))
        let outcome = try #require(html.firstMatch(of: #/<div class="outcome"[\s\S]*?<\/div>\n<template/#)?.output)
        #expect(outcome.components(separatedBy: "class=\"badge revoked\"").count == 3 && !outcome.contains("badge high"))
    }

    @Test("coordinates that are not on Earth are told as such, by the script too", arguments: Language.allCases)
    func falsePlace(language: Language) throws {
        let strings = resources.strings(language)
        let file = KnownFile(
            matched: .original, captureID: Samples.id, confidence: .suspicious,
            evidence: Samples.record(named: "suspicious in many ways").evidence, others: [])
        let html = try Self.html(.known(file, digest: Samples.digest), language)
        let outcome = try #require(html.firstMatch(of: #/<div class="outcome"[\s\S]*?<\/div>\n<template/#)?.output)
        #expect(outcome.contains(strings("loc.fail")) && !outcome.contains(strings("fact.noplace")))
        #expect(html.contains("data-none=\"\(strings("fact.noplace"))\" data-fail=\"\(strings("loc.fail"))\""))
        let script = String(decoding: try #require(resources.assets["js/result.js"]).bytes, as: UTF8.self)
        #expect(script.contains("metadata.location?.status === 'fail' ? 'fail' : 'none'"))
    }

    @Test("the script has the same sentence for every role, and the page has all of them", arguments: Language.allCases)
    func script(language: Language) throws {
        let script = String(decoding: try #require(resources.assets["js/result.js"]).bytes, as: UTF8.self)
        let table = try #require(script.firstMatch(of: #/const TITLES = \{([^}]*)\}/#)).output.1
        let entries = table.matches(of: #/(\w+): '([a-z.]+)'/#).map { "\($0.output.1): \($0.output.2)" }
        let roles = MediaRole.allCases.map { ($0.rawValue, FileResultView.title($0)) }
        #expect(entries.sorted() == roles.map { "\($0): \($1)" }.sorted())
        let html = try makePages().html(makePages().file(nil, language), language)
        for (_, title) in roles {
            #expect(html.contains("<span data-case=\"\(title)\">\(resources.strings(language)(title))</span>"))
        }
    }

    @Test("the checks are counted as on the record's page, with the chain of a video, each by its own name")
    func tally() throws {
        func counted(_ evidence: EvidencePackage?, _ language: Language = .english) throws -> [String] {
            let file = KnownFile(matched: .original, captureID: Samples.id, confidence: .high, evidence: evidence, others: [])
            let view = FileResultView(result: .known(file, digest: Samples.digest), strings: resources.strings(language)).context()
            let items = try #require((view["found"] as? ViewContext)?["tally"] as? [ViewContext])
            return items.map { "\($0["text"] as? String ?? "") from \($0["row"] as? String ?? "")" }
        }
        #expect(
            try counted(Samples.record(named: "suspicious in many ways").evidence)
                == ["4 failed from check-hardware", "1 passed from check-depth", "1 not available from check-size"])
        #expect(
            try counted(Samples.record(named: "suspicious in many ways").evidence, .spanish)
                == ["4 fallidas from check-hardware", "1 superada from check-depth", "1 no disponible from check-size"])
        #expect(
            try counted(Samples.video(named: "broken").evidence, .spanish)
                == ["1 fallida from check-chain", "5 superadas from check-hardware", "1 no disponible from check-location"])
        #expect(
            try counted(Samples.record(named: "flat").evidence)
                == ["4 passed from check-hardware", "1 not decided from check-depth", "1 not available from check-location"])
        #expect(
            try counted(Samples.video(named: "broken").evidence)
                == ["1 failed from check-chain", "5 passed from check-hardware", "1 not available from check-location"])
        #expect(
            try counted(Samples.video(named: "whole").evidence)
                == ["6 passed from check-hardware", "1 not available from check-location"])
        #expect(try counted(nil).isEmpty)
    }

    @Test("the script has words of its own for a count of one")
    func one() throws {
        let html = try makePages().html(makePages().file(nil, .spanish), .spanish)
        for words in [
            "data-text=\"{n} superadas\" data-one=\"1 superada\"", "data-text=\"{n} fallidas\" data-one=\"1 fallida\"",
            "data-text=\"{n} no disponibles\" data-one=\"1 no disponible\"",
        ] {
            #expect(html.contains(words), "\(words)")
        }
        let script = String(decoding: try #require(resources.assets["js/result.js"]).bytes, as: UTF8.self)
        #expect(script.contains("count === 1 ? item.dataset.one"))
    }

    @Test("other claims of the file are listed")
    func others() throws {
        let other = CaptureID()
        let html = try Self.html(Self.known(.high, others: [other]))
        #expect(html.contains("badge low test"))
        #expect(html.contains("<a href=\"/verify/\(other)\">Open · 22 November 2025, 10:30 UTC</a>"))
    }

    @Test(
        "credentials of unknown origin are told apart",
        arguments: [
            (CredentialReport.State.trusted, nil, "Intact, issuer known", true), (.valid, nil, "Intact, issuer not known to us", true),
            (.invalid, "assertion.dataHash.mismatch", "Do not fit the file", false),
            (.invalid, "signingCredential.expired", "Can no longer be confirmed", false),
            (.unreadable, nil, "Could not be read", false), (.remote, nil, "Kept on another site", false),
        ])
    func foreign(state: CredentialReport.State, code: String?, told: String, shows: Bool) throws {
        var report = CredentialReport(state: state)
        report.title = "A title"
        report.issuer = "An issuer"
        report.signedAt = "2025-11-22T10:30:04Z"
        report.remoteURL = "https://elsewhere.example/manifest"
        report.validationCodes = code.map { [.init(code: $0, kind: .failure)] } ?? []
        let html = try Self.html(.credentials(ManifestInfo(report), digest: Samples.digest))
        let outcome = try #require(html.firstMatch(of: #/<div class="outcome"[\s\S]*?<\/div>\n<template/#)?.output)
        #expect(outcome.contains(told) && outcome.contains("A title") == shows && outcome.contains("An issuer") == shows)
        #expect(outcome.contains("22 November 2025, 10:30:04 UTC") == shows)
        #expect(outcome.contains("elsewhere.example") == (state == .remote))
    }

    @Test(
        "what is signed by us and on no record, made from what does not hold, or comes alone has sentences of its own",
        arguments: Language.allCases)
    func particular(language: Language) throws {
        var own = CredentialReport(state: .trusted)
        own.voucher = .own
        var ingredient = CredentialReport(state: .invalid)
        ingredient.validationCodes = [
            .init(code: "assertion.dataHash.mismatch", kind: .failure, ingredient: true),
            .init(code: "signingCredential.untrusted", kind: .failure),
        ]
        var alone = CredentialReport(state: .invalid)
        alone.validationCodes = [.init(code: "assertion.dataHash.mismatch", kind: .failure)]
        let cases: [(ManifestInfo, CredentialsFinding, String)] = [
            (ManifestInfo(own), .own, "valid"), (ManifestInfo(ingredient), .ingredient, "invalid"),
            (ManifestInfo(alone, isDetached: true), .detached, "invalid"), (ManifestInfo(alone), .invalid, "invalid"),
        ]
        for (info, expected, state) in cases {
            #expect(CredentialsFinding(info) == expected && info.validationState == state)
            let html = try Self.html(.credentials(info, digest: Samples.digest), language)
            let outcome = try #require(html.firstMatch(of: #/<div class="outcome"[\s\S]*?<\/div>\n<template/#)?.output)
            let told = language == .english ? Self.english : Self.spanish
            #expect(outcome.contains(try #require(told[expected])), "\(outcome)")
        }
        #expect(ManifestInfo(alone, isDetached: true).note.contains("manifest without the file"))
        #expect(!ManifestInfo(alone, isDetached: true).note.contains("changed"))
    }

    private static let english: [CredentialsFinding: String] = [
        .own: "Signed by us, not on record", .ingredient: "Do not hold for what it was made from",
        .detached: "Credentials without their file",
        .invalid: "Do not fit the file",
    ]
    private static let spanish: [CredentialsFinding: String] = [
        .own: "Firmadas por nosotros, sin registro", .ingredient: "No valen para aquello con lo que se creó",
        .detached: "Credenciales sin su archivo", .invalid: "No corresponden al archivo",
    ]

    @Test("of an unchanged file whose signature does not count nobody is told that it was changed", arguments: Language.allCases)
    func signatureThatDoesNotCount(language: Language) throws {
        var report = CredentialReport(state: .invalid)
        report.validationCodes = [.init(code: "signingCredential.invalid", kind: .failure)]
        let html = try Self.html(.credentials(ManifestInfo(report), digest: Samples.digest), language)
        let outcome = try #require(html.firstMatch(of: #/<div class="outcome"[\s\S]*?<\/div>\n<template/#)?.output)
        let method = try makePages().html(makePages().methodology(language), language)
        switch language {
        case .english:
            #expect(outcome.contains("or their signature does not count. The file may have been changed after signing"))
            #expect(
                method.contains("or with a signature that does not count;") && method.contains("the third may mean that something changed"))
        case .spanish:
            #expect(outcome.contains("o su firma no cuenta. El archivo pudo cambiar tras la firma"))
            #expect(method.contains("o cuya firma no cuenta;") && method.contains("lo tercero puede indicar que algo cambió"))
        }
    }

    @Test("an untrusted long title is cut, the whole of it behind a button")
    func longTitle() throws {
        var report = CredentialReport(state: .valid)
        report.title = String(repeating: "t", count: 300)
        report.generator = "short"
        let html = try Self.html(.credentials(ManifestInfo(report), digest: Samples.digest))
        let cut = String(repeating: "t", count: 119) + "…"
        let whole = "<summary>Show the whole text</summary><bdi>\(String(repeating: "t", count: 300))</bdi>"
        #expect(html.contains("<bdi>\(cut)</bdi><details class=\"s\">\(whole)</details>"))
        #expect(html.matches(of: #/Show the whole text<\/summary><bdi>\w/#).count == 1)
    }

    @Test(
        "what goes wrong is said in words",
        arguments: [
            (FileResult.Problem.tooLarge(isVideo: false), "This file is larger than 20 MB."),
            (.tooLarge(isVideo: true), "This file is larger than 100 MB."), (.unsupportedType, "We read JPEG"),
            (.empty, "This file is empty."), (.missing, "No file was chosen."),
            (.rateLimited(retrySeconds: 120), "Try again in 2 minutes."), (.unavailable, "We could not look it up right now."),
        ])
    func problems(problem: FileResult.Problem, text: String) throws {
        #expect(try Self.html(.problem(problem)).contains(text))
    }

    private static func html(_ result: FileResult, _ language: Language = .english) throws -> String {
        try makePages().html(makePages().file(result, language), language)
    }

    private static func known(
        _ confidence: ConfidenceLevel, matched: MediaRole = .original, others: [CaptureID] = []
    ) -> FileResult {
        let file = KnownFile(
            matched: matched, captureID: Samples.id, confidence: confidence,
            evidence: Samples.Evidence().package.publicForm(sharing: .everything),
            others: others.map {
                KnownFile.OtherClaim(captureID: $0, confidence: .low, isDevelopment: true, receivedAt: .exact(Samples.received))
            })
        return .known(file, digest: Samples.digest)
    }
}
