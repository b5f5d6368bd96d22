import CaptureProtocol
import Foundation
import HTTPTypes
import Hummingbird
import Models
import Testing

@testable import Gateway

@Suite("File verification without JavaScript")
struct FilePageTests {
    private static let form: HTTPFields = [.contentType: "multipart/form-data; boundary=x", .accept: "text/html"]

    @Test("a file on record is shown with what the evidence says and a link to all of it", arguments: Language.allCases)
    func found(language: Language) async throws {
        let html = try await Self.html(.verified(Self.verified(.low)), language)
        #expect(html.contains("class=\"badge low\"") && html.contains("href=\"/verify/\(Samples.id)\""))
        #expect(html.contains(Samples.digest.hex) && html.contains("iPhone 15 Pro"))
        #expect(html.contains(language == .english ? "5 passed" : "5 superadas"))
        #expect(html.contains(language == .english ? "This exact file is on record" : "Este archivo exacto consta en el registro"))
    }

    @Test(
        "what the file is of the record has its words",
        arguments: [
            (MediaRole.original, "This exact file is on record"), (.signedCopy, "This is the copy we signed"),
            (.manifest, "This is the copy we signed"), (.thumbnail, "This is the small preview we made"),
        ])
    func matched(matched: MediaRole, title: String) async throws {
        #expect(try await Self.html(.verified(Self.verified(.high, matched: matched))).contains("class=\"told\">\(title)</h2>"))
    }

    @Test("other claims of the file are listed")
    func others() async throws {
        let other = CaptureID()
        let html = try await Self.html(.verified(Self.verified(.high, others: [other])))
        #expect(html.contains("badge low test"))
        #expect(html.contains("<a href=\"/verify/\(other)\">Open · 22 November 2025, 10:30 UTC</a>"))
    }

    @Test("no record is an answer, not a fault")
    func none() async throws {
        let response = try await Self.site(.noRecord(digest: Samples.digest)).post("/verify-file", Self.form)
        #expect(response.status == .ok)
        #expect(try await response.text().contains("No provenance record found"))
        #expect(response.headers[.cacheControl] == "no-store")
    }

    @Test(
        "strangers' credentials are told apart",
        arguments: [
            (CredentialReport.State.trusted, nil, "Intact, issuer known", true), (.valid, nil, "Intact, issuer not known to us", true),
            (.invalid, "assertion.dataHash.mismatch", "Do not fit the file", false),
            (.invalid, "signingCredential.expired", "Can no longer be confirmed", false),
            (.unreadable, nil, "Could not be read", false), (.remote, nil, "Kept on another site", false),
        ])
    func foreign(state: CredentialReport.State, code: String?, told: String, shows: Bool) async throws {
        var report = CredentialReport(state: state)
        report.title = "A title"
        report.issuer = "An issuer"
        report.signedAt = "2025-11-22T10:30:04Z"
        report.remoteURL = "https://elsewhere.example/manifest"
        report.validationCodes = code.map { [.init(code: $0, kind: .failure)] } ?? []
        let html = try await Self.html(
            .credentialsOnly(.init(fileHash: Samples.digest, manifestInfo: ManifestInfo(report), note: "")))
        let outcome = try #require(html.firstMatch(of: #/<div class="outcome"[\s\S]*?<\/div>\n<template/#)?.output)
        #expect(outcome.contains(told) && outcome.contains("A title") == shows && outcome.contains("An issuer") == shows)
        #expect(outcome.contains("22 November 2025, 10:30:04 UTC") == shows)
        #expect(outcome.contains("elsewhere.example") == (state == .remote))
    }

    @Test(
        "what is signed by us and on no record, made from what does not hold, or comes alone has words of its own",
        arguments: Language.allCases)
    func particular(language: Language) async throws {
        var own = CredentialReport(state: .trusted)
        own.voucher = .own
        var ingredient = CredentialReport(state: .invalid)
        ingredient.validationCodes = [
            .init(code: "assertion.dataHash.mismatch", kind: .failure, ingredient: true),
            .init(code: "signingCredential.untrusted", kind: .failure),
        ]
        var alone = CredentialReport(state: .invalid)
        alone.validationCodes = [.init(code: "assertion.dataHash.mismatch", kind: .failure)]
        let cases: [(ManifestInfo, ForeignCase, String)] = [
            (ManifestInfo(own), .own, "valid"), (ManifestInfo(ingredient), .ingredient, "invalid"),
            (ManifestInfo(alone, isDetached: true), .detached, "invalid"), (ManifestInfo(alone), .invalid, "invalid"),
        ]
        for (info, expected, state) in cases {
            #expect(ForeignCase(info) == expected && info.validationState == state)
            let html = try await Self.html(.credentialsOnly(.init(fileHash: Samples.digest, manifestInfo: info, note: "")), language)
            let outcome = try #require(html.firstMatch(of: #/<div class="outcome"[\s\S]*?<\/div>\n<template/#)?.output)
            let told = language == .english ? Self.english : Self.spanish
            #expect(outcome.contains(try #require(told[expected])), "\(outcome)")
        }
        #expect(ManifestInfo(alone, isDetached: true).note.contains("manifest without the file"))
        #expect(!ManifestInfo(alone, isDetached: true).note.contains("changed"))
    }

    private static let english: [ForeignCase: String] = [
        .own: "Signed by us, not on record", .ingredient: "Do not hold for what it was made from",
        .detached: "Credentials without their file",
        .invalid: "Do not fit the file",
    ]
    private static let spanish: [ForeignCase: String] = [
        .own: "Firmadas por nosotros, sin registro", .ingredient: "No valen para aquello con lo que se creó",
        .detached: "Credenciales sin su archivo", .invalid: "No corresponden al archivo",
    ]

    @Test("a stranger's long title is cut, the whole of it behind a button")
    func longTitle() async throws {
        var report = CredentialReport(state: .valid)
        report.title = String(repeating: "t", count: 300)
        report.generator = "short"
        let html = try await Self.html(
            .credentialsOnly(.init(fileHash: Samples.digest, manifestInfo: ManifestInfo(report), note: "")))
        let cut = String(repeating: "t", count: 119) + "…"
        let whole = "<summary>Show the whole text</summary><bdi>\(String(repeating: "t", count: 300))</bdi>"
        #expect(html.contains("<bdi>\(cut)</bdi><details class=\"s\">\(whole)</details>"))
        #expect(html.matches(of: #/Show the whole text<\/summary><bdi>\w/#).count == 1)
    }

    @Test(
        "what goes wrong is said in words and with its status",
        arguments: [
            (APIError(.payloadTooLarge, ""), 413, "This file is larger than 20 MB."),
            (APIError(.unsupportedMediaType, ""), 415, "We read JPEG"),
            (APIError.invalid("file", "is empty"), 400, "This file is empty."),
            (APIError.invalid("file", "is missing"), 400, "No file was chosen."),
            (APIError.retryLater(.rateLimited, "", seconds: 120), 429, "Try again in 2 minutes."),
            (APIError.retryLater(.serviceUnavailable, "", seconds: 5), 503, "We could not look it up right now."),
            (APIError(.storageError, ""), 503, "We could not look it up right now."),
        ])
    func problems(error: APIError, status: Int, text: String) async throws {
        let response = try await TestSite(verify: { _, _ in throw error }).post("/verify-file", Self.form)
        #expect(response.status.code == status)
        #expect(response.headers[.retryAfter] == error.headers[.retryAfter])
        #expect(response.headers[.contentType] == "text/html; charset=utf-8")
        #expect(try await response.text().contains(text))
    }

    @Test("a video is told the limit of videos")
    func video() async throws {
        var form = Self.form
        form[.contentLength] = "200000000"
        let html = try await TestSite(verify: { _, _ in throw APIError(.payloadTooLarge, "") }).post("/verify-file", form).text()
        #expect(html.contains("This file is larger than 100 MB."))
    }

    @Test("what is no form is refused before anything is read")
    func noForm() async throws {
        let response = try await Self.site(.noRecord(digest: Samples.digest)).post("/verify-file", [.contentType: "application/json"])
        #expect(response.status == .unsupportedMediaType)
    }

    private static func site(_ answer: VerificationAnswer) -> TestSite {
        TestSite(verify: { _, _ in (answer, [:]) })
    }

    private static func html(_ answer: VerificationAnswer, _ language: Language = .english) async throws -> String {
        try await site(answer).post("/verify-file?lang=\(language.rawValue)", form).text()
    }

    private static func verified(
        _ confidence: ConfidenceLevel, matched: MediaRole = .original, others: [CaptureID] = []
    ) -> VerificationAnswer.Verified {
        VerificationAnswer.Verified(
            matched: matched, captureID: Samples.id, confidenceLevel: confidence, verificationURL: "", fileHash: Samples.digest,
            captureMode: .full, mediaStored: true, evidence: Samples.Evidence().package.publicForm(),
            otherClaims: others.map {
                VerificationAnswer.OtherClaim(
                    captureID: $0, matched: .original, confidenceLevel: .low, developmentAttestation: true, captureMode: .full,
                    uploadedAt: Samples.received,
                    verificationURL: "")
            })
    }
}
