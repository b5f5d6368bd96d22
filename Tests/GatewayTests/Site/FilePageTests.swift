import CaptureProtocol
import Delivery
import Foundation
import HTTPTypes
import Hummingbird
import Models
import Multipart
import Site
import TestSupport
import Testing

@testable import Gateway

@Suite("File verification without JavaScript")
struct FilePageTests {
    private static let form: HTTPFields = [.contentType: "multipart/form-data; boundary=x", .accept: "text/html"]

    @Test("a file on record has its claims on the page, in the reader's language")
    func found() async throws {
        let (first, other) = (try Self.claim(.low), try Self.claim(.low, isDevelopment: true))
        let html = try await Self.site(.claimed(by: first, others: [other])).post("/verify-file?lang=es", Self.form).text()
        #expect(html.contains("Este archivo exacto consta en el registro") && html.contains("class=\"badge low\""))
        #expect(html.contains("href=\"/verify/\(first.row.id)\"") && html.contains(Samples.digest.hex) && html.contains("iPhone 15 Pro"))
        #expect(html.contains("badge low test") && html.contains("<a href=\"/verify/\(other.row.id)\">"))
    }

    @Test("a file with credentials and no record is told apart")
    func credentials() async throws {
        let info = ManifestInfo(CredentialReport(state: .trusted))
        #expect(try await Self.site(.credentials(info)).post("/verify-file", Self.form).text().contains("Intact, issuer known"))
    }

    @Test("no record is an answer, not a fault")
    func none() async throws {
        let response = try await Self.site(.noRecord).post("/verify-file", Self.form)
        #expect(response.status == .ok)
        #expect(try await response.text().contains("No provenance record found"))
        #expect(response.headers[.cacheControl] == "no-store")
    }

    @Test(
        "what goes wrong is said in words and with its status",
        arguments: [
            (VerificationError.fileTooLarge, 413, "This file is larger than 20 MB."),
            (VerificationError.unsupportedFormat, 415, "We read JPEG"),
            (VerificationError.fileEmpty, 400, "This file is empty."), (VerificationError.fileMissing, 400, "No file was chosen."),
            (MultipartError.truncated, 400, "No file was chosen."),
            (RateLimitExceeded(BucketRule(name: "test", burst: 1, perSecond: 1.0 / 120), tokens: 0), 429, "Try again in 2 minutes."),
            (NoScratchSpace(), 503, "We could not look it up right now."),
            (VerificationPermits.Busy(), 503, "We could not look it up right now."),
        ] as [(any Error, Int, String)])
    func problems(error: any Error, status: Int, text: String) async throws {
        let response = try await TestSite(verifier: FixedVerifier(.failure(error))).post("/verify-file", Self.form)
        #expect(response.status.code == status)
        #expect(response.headers[.retryAfter] == APIError(refusal: error)?.headers[.retryAfter])
        #expect(response.headers[.contentType] == "text/html; charset=utf-8")
        #expect(try await response.text().contains(text))
    }

    @Test("a store that is away is no result but an error page")
    func away() async throws {
        let response = try await TestSite(verifier: FixedVerifier(.failure(DependencyUnavailable("store", "is away")))).post(
            "/verify-file", Self.form)
        #expect(response.status == .serviceUnavailable)
        #expect(try await response.text().contains("We are back shortly."))
    }

    @Test("a video is told the limit of videos")
    func video() async throws {
        var form = Self.form
        form[.contentLength] = "200000000"
        let html = try await TestSite(verifier: FixedVerifier(.failure(VerificationError.fileTooLarge))).post("/verify-file", form).text()
        #expect(html.contains("This file is larger than 100 MB."))
    }

    @Test("what is no form is refused before anything is read")
    func noForm() async throws {
        let response = try await Self.site(.noRecord).post("/verify-file", [.contentType: "application/json"])
        #expect(response.status == .unsupportedMediaType)
    }

    private static func site(_ verdict: FileVerdict) -> TestSite { TestSite(verifier: FixedVerifier(.success(verdict))) }

    private static func claim(_ confidence: ConfidenceLevel, isDevelopment: Bool = false) throws -> Claim {
        let evidence = try WireJSON.encode(Samples.Evidence(development: isDevelopment).package)
        let row = try EventCursorTests.row(
            "complete", evidence: String(decoding: evidence, as: UTF8.self), confidence: confidence.rawValue)
        return Claim(matched: .original, row: row)
    }
}
