import CaptureProtocol
import Foundation
import HTTPTypes
import Hummingbird
import Models
import Site
import TestSupport
import Testing

@testable import Gateway

@Suite("File verification without JavaScript")
struct FilePageTests {
    private static let form: HTTPFields = [.contentType: "multipart/form-data; boundary=x", .accept: "text/html"]

    @Test("a file on record has its claims on the page, in the reader's language")
    func found() async throws {
        let (other, site) = (CaptureID(), { Self.site(.verified(Self.verified(.low, others: [$0]))) })
        let html = try await site(other).post("/verify-file?lang=es", Self.form).text()
        #expect(html.contains("Este archivo exacto consta en el registro") && html.contains("class=\"badge low\""))
        #expect(html.contains("href=\"/verify/\(Samples.id)\"") && html.contains(Samples.digest.hex) && html.contains("iPhone 15 Pro"))
        #expect(html.contains("badge low test") && html.contains("<a href=\"/verify/\(other)\">"))
    }

    @Test("a file with credentials and no record is told apart")
    func credentials() async throws {
        let info = ManifestInfo(CredentialReport(state: .trusted))
        let answer = VerificationAnswer.credentialsOnly(.init(fileHash: Samples.digest, manifestInfo: info, note: ""))
        #expect(try await Self.site(answer).post("/verify-file", Self.form).text().contains("Intact, issuer known"))
    }

    @Test("no record is an answer, not a fault")
    func none() async throws {
        let response = try await Self.site(.noRecord(digest: Samples.digest)).post("/verify-file", Self.form)
        #expect(response.status == .ok)
        #expect(try await response.text().contains("No provenance record found"))
        #expect(response.headers[.cacheControl] == "no-store")
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

    private static func verified(
        _ confidence: ConfidenceLevel, others: [CaptureID]
    ) -> VerificationAnswer.Verified {
        VerificationAnswer.Verified(
            matched: .original, captureID: Samples.id, confidenceLevel: confidence, verificationURL: "", fileHash: Samples.digest,
            captureMode: .full, mediaStored: true, evidence: Samples.Evidence().package.publicForm(),
            otherClaims: others.map {
                VerificationAnswer.OtherClaim(
                    captureID: $0, matched: .original, confidenceLevel: .low, developmentAttestation: true, captureMode: .full,
                    uploadedAt: Samples.received,
                    verificationURL: "")
            })
    }
}
