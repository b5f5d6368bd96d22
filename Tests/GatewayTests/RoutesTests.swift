import CaptureProtocol
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOSSL
import TestSupport
import Testing

@testable import Gateway

@Suite("Routes")
struct RoutesTests {
    private static let routes: Routes = {
        var routes = Routes()
        routes.post("/api/v1/captures") { _, _ in Response(status: .created) }
        routes.get("/api/v1/captures/{id}") { _, _ in Response(status: .ok) }
        routes.get("/api/v1/captures/{id}/events") { _, _ in Response(status: .ok) }
        routes.get("/verify-file") { _, _ in Response(status: .ok) }
        routes.get("/log/{shard}/tile/**") { _, _ in Response(status: .ok) }
        routes.post("/verify-file") { _, _ in Response(status: .ok) }
        return routes
    }()

    @Test(
        "knows the methods of an address",
        arguments: [
            ("/api/v1/captures", ["POST"]), ("/api/v1/captures/", ["POST"]), ("/api/v1/captures/abc", ["GET", "HEAD"]),
            ("/api/v1/captures/abc/events", ["GET", "HEAD"]), ("/verify-file", ["GET", "HEAD", "POST"]),
            ("/log/2026/tile/0", ["GET", "HEAD"]), ("/log/2026/tile/0/x001/234.p/5", ["GET", "HEAD"]),
        ])
    func known(path: String, methods: [String]) { #expect(Self.routes.methods(of: path) == methods) }

    @Test(
        "knows none for an unknown one",
        arguments: [
            "", "/", "/api", "/api/v1/capture", "/api/v1/captures/a/b", "/api/v1/captures/a/events/b", "/log/2026/tile",
            "/log/2026/tiles/0/000",
        ])
    func unknown(path: String) { #expect(Self.routes.methods(of: path).isEmpty) }

    @Test("labels stay few whatever method is sent")
    func labels() {
        #expect(ResponseMiddleware.label(.get) == "GET")
        #expect(["BREW", "get", "TRACE"].allSatisfy { HTTPRequest.Method($0).map { ResponseMiddleware.label($0) } == "OTHER" })
    }
}

@Suite("Responses of the router")
struct ResponseMiddlewareTests {
    private enum Oddity: Error { case unexpected }

    @Test("an unknown address is NOT_FOUND in the envelope")
    func notFound() async throws {
        let response = try await respond(.get, "/nothing")
        #expect(response.status == .notFound)
        #expect(try await code(response) == "NOT_FOUND")
    }

    @Test("a wrong method is told which ones there are", arguments: [HTTPRequest.Method.post, .put, .delete, .options])
    func wrongMethod(method: HTTPRequest.Method) async throws {
        let response = try await respond(method, "/things/1")
        #expect(response.status == .methodNotAllowed)
        #expect(response.headers[.allow] == "GET, HEAD")
        #expect(try await code(response) == "METHOD_NOT_ALLOWED")
    }

    @Test("HEAD is answered like GET, without the body")
    func head() async throws {
        let response = try await respond(.head, "/things/1")
        #expect(response.status == .ok)
        #expect(try await response.bytes().isEmpty)
    }

    @Test("a request id that is a UUID is honoured; any other is replaced")
    func requestID() async throws {
        let id = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
        #expect(try await respond(.get, "/things/1", [.requestID: id]).headers[.requestID] == id)
        let made = try await respond(.get, "/things/1", [.requestID: "mine\u{7f}"]).headers[.requestID]
        #expect(made != "mine\u{7f}" && made?.utf8.count == 36)
        #expect(try await respond(.get, "/nothing", [.requestID: id]).headers[.requestID] == id)
    }

    @Test("an instance that drains asks for another connection")
    func draining() async throws {
        #expect(try await respond(.get, "/things/1").headers[.connection] == nil)
        #expect(try await respond(.get, "/things/1", isDraining: true).headers[.connection] == "close")
        #expect(try await respond(.get, "/nothing", isDraining: true).headers[.connection] == "close")
    }

    @Test("an unexpected failure says nothing of the inside")
    func unexpected() async throws {
        let response = try await respond(.get, "/broken")
        #expect(response.status == .internalServerError)
        #expect(try await code(response) == "INTERNAL_ERROR")
        #expect(!String(decoding: try await response.bytes(), as: UTF8.self).contains("Oddity"))
    }

    @Test("a client's connection that breaks is the end of the request's body, and no failure of ours", arguments: ["/reset", "/unclean"])
    func brokenConnection(path: String) async throws {
        let failed = Flag()
        let logger = Logger(label: "tests") { _ in FailureLogHandler(noted: failed) }
        let response = try await respond(.get, path, logger: logger)
        try await response.expectRefusal(.validationError)
        #expect(!failed.isSet)
        _ = try await respond(.get, "/broken", logger: logger)
        #expect(failed.isSet)
    }

    /// Notes that an error is logged.
    private struct FailureLogHandler: LogHandler {
        let noted: Flag
        var logLevel = Logger.Level.error
        var metadata: Logger.Metadata = [:]
        var metadataProvider: Logger.MetadataProvider?

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { noted.set() }
    }

    @Test(
        "every answer about an upload names the interop version, failures of ours too",
        arguments: [
            (HTTPRequest.Method.post, "/api/v1/captures", "6", "6"), (.post, "/api/v1/captures", "2", nil),
            (.post, "/api/v1/captures", nil, nil), (.delete, "/api/v1/uploads/x", "3", "3"), (.delete, "/api/v1/uploads/x", "2", "8"),
            (.delete, "/api/v1/uploads/x", nil, "8"), (.get, "/things/1", "6", nil), (.get, "/broken", "6", nil),
        ] as [(HTTPRequest.Method, String, String?, String?)])
    func interopVersion(method: HTTPRequest.Method, path: String, named: String?, told: String?) async throws {
        var headers: HTTPFields = [:]
        headers[.uploadDraftInteropVersion] = named
        #expect(try await respond(method, path, headers).headers[.uploadDraftInteropVersion] == told)
    }

    private func respond(
        _ method: HTTPRequest.Method, _ path: String, _ headers: HTTPFields = [:], isDraining: Bool = false, logger: Logger = .quiet
    ) async throws -> Response {
        var routes = Routes()
        routes.get("/things/{id}") { _, _ in Response(status: .ok, body: .init(byteBuffer: ByteBuffer(string: "a thing"))) }
        routes.get("/broken") { _, _ in throw Oddity.unexpected }
        routes.get("/reset") { _, _ in throw IOError(errnoCode: ECONNRESET, reason: "") }
        routes.get("/unclean") { _, _ in throw NIOSSLError.uncleanShutdown }
        routes.post("/api/v1/captures") { _, _ in throw Oddity.unexpected }
        routes.delete("/api/v1/uploads/{token}") { _, _ in Response(status: .noContent) }
        let router = routes.router(behind: ResponseMiddleware(routes: routes, isDraining: { isDraining }))
        var context = makeContext()
        context.logger = logger
        return try await router.buildResponder().respond(to: makeRequest(method, path, headers), context: context)
    }

    private func code(_ response: Response) async throws -> String? {
        (try await response.json()["error"] as? [String: Any])?["code"] as? String
    }
}
