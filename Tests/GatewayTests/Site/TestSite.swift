import Delivery
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import Persistence
import Site
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

func makePages(_ settings: SiteSettings = SiteSettings(publicURL: publicURL)) -> PageResponder {
    PageResponder(pages: SitePages(settings: settings, resources: resources))
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
            responder: pages, captures: captures,
            records: PublicRecordReader(
                captures: captures, records: StoredRecordRepository(database: pool),
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
    let pages: PageResponder

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
