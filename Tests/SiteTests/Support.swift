import Delivery
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded
import Persistence
import Testing

@testable import Gateway

let publicURL = "https://rial.example"

/// Loaded once: what a gateway loads at its start.
let resources: SiteResources = {
    do {
        return try SiteResources.bundled()
    } catch {
        preconditionFailure("\(error)")
    }
}()

func makePages(_ settings: SiteSettings = SiteSettings(publicURL: publicURL)) -> SitePages {
    SitePages(settings: settings, resources: resources)
}

func makeContext() -> GatewayContext {
    GatewayContext(source: ApplicationRequestContextSource(channel: EmbeddedChannel(), logger: Logger(label: "tests")))
}

func makeRequest(_ method: HTTPRequest.Method = .get, _ path: String = "/", _ headers: HTTPFields = [:]) -> Request {
    Request(
        head: HTTPRequest(method: method, scheme: "http", authority: "rial.test", path: path, headerFields: headers),
        body: .init(buffer: ByteBuffer()))
}

extension Response {
    /// The whole body, as it is sent.
    func bytes() async throws -> [UInt8] {
        let collected = Collected()
        try await body.write(Collector(into: collected))
        return collected.bytes
    }

    func text() async throws -> String { String(decoding: try await bytes(), as: UTF8.self) }
}

private final class Collected { var bytes: [UInt8] = [] }

private struct Collector: ResponseBodyWriter {
    let collected: Collected
    init(into collected: Collected) { self.collected = collected }
    mutating func write(_ buffer: ByteBuffer) async throws { collected.bytes += buffer.readableBytesView }
    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

/// The whole site, in front of a database that cannot be reached.
struct TestSite {
    let responder: any HTTPResponder<GatewayContext>

    init(
        _ settings: SiteSettings = SiteSettings(publicURL: publicURL), database: PostgresPool? = nil,
        verify: @escaping @Sendable (Request, ClientAddress) async throws -> (VerificationAnswer, HTTPFields) = { _, _ in
            throw APIError(.serviceUnavailable, "not here")
        }
    ) {
        let logger = Logger(label: "tests")
        let pool = database ?? PostgresPool(url: "postgres://localhost:1/none", size: 1, applicationName: "tests", logger: logger)
        let captures = CaptureRepository(database: pool, outbox: Outbox(.gateway))
        let pages = makePages(settings)
        let site = SiteController(
            pages: pages, captures: captures,
            facts: FactsReader(
                captures: captures, records: SiteRepository(database: pool),
                links: MediaLinks(key: [UInt8](repeating: 7, count: 32))),
            claims: VerificationRepository(database: pool), verify: verify, trustedProxies: [])
        let router = Router(context: GatewayContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: ErrorPages(pages: pages))
        var table = RouteTable()
        site.addRoutes(to: router, table: &table)
        responder = router.buildResponder()
    }

    func get(_ path: String, _ headers: HTTPFields = [.accept: "text/html"]) async throws -> Response {
        try await responder.respond(to: makeRequest(.get, path, headers), context: makeContext())
    }

    func post(_ path: String, _ headers: HTTPFields) async throws -> Response {
        try await responder.respond(to: makeRequest(.post, path, headers), context: makeContext())
    }
}

/// Stands for the gateway's own middleware: error pages where they are due.
private struct ErrorPages: RouterMiddleware {
    typealias Context = GatewayContext
    let pages: SitePages

    func handle(
        _ request: Request, context: GatewayContext, next: (Request, GatewayContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            let known =
                error as? APIError ?? ((error as? HTTPError)?.status == .notFound ? APIError(.notFound, "") : APIError(.internalError, ""))
            return pages.error(known, request, context) ?? Envelope.failure(known, request: request, context: context)
        }
    }
}
