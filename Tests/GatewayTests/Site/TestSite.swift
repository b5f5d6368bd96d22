import CaptureProtocol
import Delivery
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import Models
import Multipart
import NIOCore
import Persistence
import Site
import TestSupport
import Testing
import TransparencyLog

@testable import Gateway

let publicURL = Samples.publicURL
let resources = Samples.siteResources

func makePages(_ settings: SiteSettings = SiteSettings(publicURL: publicURL)) -> PageResponder {
    PageResponder(pages: SitePages(settings: settings, resources: resources))
}

/// The whole site, with an unreachable database.
struct TestSite {
    let responder: any HTTPResponder<GatewayContext>

    init(
        _ settings: SiteSettings = SiteSettings(publicURL: publicURL), database: PostgresPool? = nil,
        verifier: any FileVerifying = FixedVerifier(.failure(APIError(.serviceUnavailable, "not here"))),
        log: any LogFactsReading = MemoryLogFacts()
    ) {
        let logger = Logger(label: "tests")
        let pool = database ?? PostgresPool(url: "postgres://localhost:1/none", size: 1, applicationName: "tests", logger: logger)
        let captures = PostgresCaptureRepository(database: pool, outbox: Outbox(.gateway))
        let pages = makePages(settings)
        let entries = PostgresLogReading(database: pool)
        let site = SiteController(
            responder: pages, captures: captures,
            records: PublicRecordReader(
                captures: captures, records: PostgresStoredRecordRepository(database: pool),
                log: LogStatusReader(log: entries, finder: CheckpointFinder(log: entries, policy: .empty)),
                links: MediaLinks(key: [UInt8](repeating: 7, count: 32))),
            claims: PostgresVerificationRepository(database: pool), verifier: verifier, log: log, trustedProxies: [])
        var routes = Routes()
        site.addRoutes(to: &routes)
        AssetController(resources: resources).addRoutes(to: &routes)
        responder = routes.router(behind: ResponseMiddleware(routes: routes, pages: pages)).buildResponder()
    }

    func get(_ path: String, _ headers: HTTPFields = [.accept: "text/html"]) async throws -> Response {
        try await responder.respond(to: makeRequest(.get, path, headers), context: makeContext())
    }

    func post(_ path: String, _ headers: HTTPFields) async throws -> Response {
        try await responder.respond(to: makeRequest(.post, path, headers), context: makeContext())
    }
}

/// Returns one fixed verdict for all files.
struct FixedVerifier: FileVerifying {
    let outcome: Result<FileVerdict, any Error>

    init(_ outcome: Result<FileVerdict, any Error>) { self.outcome = outcome }

    func verify<Body: AsyncSequence<ByteBuffer, any Error> & Sendable>(
        _ body: Body, boundary: MultipartBoundary, declaredBytes: Int?, from client: ClientAddress
    ) async throws -> FileVerification {
        FileVerification(digest: Samples.digest, verdict: try outcome.get(), allowance: nil)
    }
}
