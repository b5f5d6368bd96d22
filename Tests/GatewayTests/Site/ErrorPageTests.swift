import CaptureProtocol
import Foundation
import HTTPTypes
import Hummingbird
import Site
import TestSupport
import Testing

@testable import Gateway

@Suite("Error pages")
struct ErrorPageTests {
    struct Case: Sendable {
        let error: APIError
        let text: String
        var retries = false
    }

    static let cases = [
        Case(error: APIError(.notFound, ""), text: "There is no page here."),
        Case(error: APIError(.captureNotFound, ""), text: "There is no page here."),
        Case(error: APIError(.gone, ""), text: "This record was withdrawn."),
        Case(error: APIError(.methodNotAllowed, ""), text: "This request could not be read."),
        Case(error: APIError(.internalError, ""), text: "Something went wrong on our side.", retries: true),
        Case(error: APIError(.serviceUnavailable, ""), text: "We are back shortly.", retries: true),
        Case(error: .retryLater(.rateLimited, "", seconds: 3600), text: "Try again in 1 hour.", retries: true),
    ]

    @Test("say what happened, that it is not the photo's fault, and what to do", arguments: cases, Language.allCases)
    func strings(sample: Case, language: Language) async throws {
        let error = sample.error
        let context = makeContext()
        let request = makeRequest(.get, "/verify/x", [.accept: Self.browser, .cookie: "lang=\(language.rawValue)"])
        let response = try #require(makePages().error(error, request, context))
        let html = try await response.text()
        #expect(response.status == error.code.status && response.headers[.cacheControl] == "no-store")
        #expect(response.headers[.retryAfter] == error.headers[.retryAfter])
        #expect(html.contains("noindex") && !html.contains("rel=\"canonical\""))
        #expect(html.contains("href=\"/verify/x\"") == sample.retries)
        if language == .english { #expect(html.contains(sample.text) && html.contains("This says nothing about any photo or video.")) }
        if error.code == .internalError { #expect(html.contains(context.requestID)) }
    }

    @Test("of a withdrawn record the day is told, of its media too, and no link is offered; it may be a video")
    func withdrawn() async throws {
        let error = APIError(withdrawnAt: Date(timeIntervalSince1970: 1_795_478_399))
        for (language, day, more) in [
            (Language.english, "It was withdrawn on 23 November 2026.", "That says nothing about what was captured."),
            (.spanish, "Se retiró el 23 de noviembre de 2026.", "Eso no dice nada sobre lo que se capturó."),
        ] {
            for path in ["/verify/\(Samples.id)", "/media/\(Samples.id)/c2pa.jpg", "/v/abcdefgh"] {
                let request = makeRequest(.get, path, [.accept: Self.browser, .cookie: "lang=\(language.rawValue)"])
                let html = try await #require(makePages().error(error, request, makeContext())).text()
                #expect(html.contains(more), "\(path)")
                #expect(html.contains(day) && !html.contains("href=\"/verify/\(Samples.id)\""), "\(path)")
            }
        }
    }

    @Test("an expired link to media leads to its record")
    func expired() async throws {
        let request = makeRequest(.get, "/media/\(Samples.id)/c2pa.jpg", [.accept: Self.browser])
        let html = try await #require(makePages().error(APIError(.gone, ""), request, makeContext())).text()
        #expect(html.contains("This link has expired.") && html.contains("href=\"/verify/\(Samples.id)\""))
    }

    @Test(
        "are for people: programs get the API's form",
        arguments: [
            ("/api/v1/captures", browser), ("/api", browser), ("/oembed", browser), ("/assets/x", browser), ("/verify/x", "*/*"),
            ("/verify/x", ""),
            ("/verify/x", "application/json"), ("/verify/x", "application/json, text/html;q=0.9"),
            ("/verify/x", "application/problem+json, text/html;q=0.1"),
            ("/verify/x", "text/html;q=0"),
        ])
    func programs(path: String, accept: String) {
        let request = makeRequest(.get, path, accept.isEmpty ? [:] : [.accept: accept])
        #expect(makePages().error(APIError(.notFound, ""), request, makeContext()) == nil)
    }

    @Test(
        "an unknown address, and an id that is none, are 404 with a page",
        arguments: ["/nothing", "/verify/x", "/verify/%3Cscript%3E", "/v/short", "/v/waytoolong"])
    func notFound(path: String) async throws {
        let response = try await TestSite().get(path)
        #expect(response.status == .notFound)
        #expect(try await response.text().contains("Have the file itself? Check it instead."))
    }

    private static let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"
}
