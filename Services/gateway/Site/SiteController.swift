import CaptureProtocol
import Foundation
import HTTPTypes
import Hummingbird
import MediaStore
import Models
import Multipart
import Site

/// The site (SPEC §8): records, file verification, and the pages about it. Records and pages work without JavaScript.
struct SiteController: Sendable {
    let responder: PageResponder
    let captures: any CaptureRepository
    let records: PublicRecordReader
    let claims: any VerificationRepository
    let verifier: any FileVerifying
    let log: any LogFactsReading
    let trustedProxies: [AddressRange]
    private var pages: SitePages { responder.pages }

    func addRoutes(to routes: inout Routes) {
        routes.get("/") { request, _ in try await self.landing(request) }
        routes.get("\(PagePath.captures)/{id}") { request, context in try await self.record(request, context) }
        routes.get("/v/{short}") { request, context in try await self.short(request, context) }
        routes.get("/methodology") { request, _ in
            let language = Language(request)
            return try self.responder.response(self.pages.methodology(language), language, to: request)
        }
        routes.get("/log") { request, _ in
            let language = Language(request)
            return try self.responder.response(self.pages.log(try await self.log.facts(), language), language, to: request)
        }
        routes.get("/bundle") { request, _ in
            let language = Language(request)
            return try self.responder.response(self.pages.bundle(language), language, to: request)
        }
        routes.get("/verify-file") { request, _ in
            let language = Language(request)
            return try self.responder.response(self.pages.file(nil, language), language, to: request)
        }
        routes.post("/verify-file") { request, context in try await self.verifyFile(request, context) }
        routes.get("/language") { request, _ in LanguageSwitch.response(to: request, isSecure: self.responder.settings.isSecure) }
        routes.get("/oembed") { request, _ in try await self.embed(request) }
    }

    private func landing(_ request: Request) async throws -> Response {
        let language = Language(request)
        var example: PublicRecord?
        if let id = pages.settings.example {
            do {
                example = try await records.find(id, at: Date())
            } catch is WithdrawnCapture {
                // The page has no example until the operator chooses another.
            }
        }
        return try responder.response(pages.landing(example: example, language), language, to: request)
    }

    private func record(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let text = try context.parameters.require("id")
        guard let id = CaptureID(text) else { throw APIError.noSuchCapture }
        guard text == id.description else {
            return Response(status: .movedPermanently, headers: [.location: address(of: id, request), .cacheControl: "no-cache"])
        }
        guard let record = try await records.find(id, at: Date()) else { throw APIError.noSuchCapture }
        let language = Language(request)
        // Most files have one claim; then a second query is not needed.
        var similar: SimilarCaptures?
        if record.status == .complete, record.claimingDevices > 1 {
            let found = try await claims.claims(of: record.mediaHash)
            similar = SimilarCaptures(found, devices: record.claimingDevices, isCut: found.count >= claims.maximumClaims)
        }
        return try responder.response(pages.record(record, similar: similar, language), language, to: request)
    }

    private func short(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let short = try context.parameters.require("short")
        guard ShortID.isValid(short), let row = try await captures.find(shortID: short) else { throw APIError.noSuchCapture }
        return Response(status: .found, headers: [.location: address(of: row.id, request), .cacheControl: "no-cache"])
    }

    /// The address of a record's page, in the language that the request names.
    private func address(of id: CaptureID, _ request: Request) -> String {
        SiteAddress.kept(PagePath.capture(id), request.uri.query.map { "?\($0)" } ?? "")
    }

    /// The form without JavaScript: like `POST /api/v1/verify-file`, but responds with a page.
    private func verifyFile(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let language = Language(request)
        guard request.headers[.contentType]?.lowercased().hasPrefix("multipart/form-data") == true else {
            throw APIError(.unsupportedMediaType, "The body must be multipart/form-data.")
        }
        var fields: HTTPFields = [:]
        var status = HTTPResponse.Status.ok
        let result: FileResult
        do {
            let verification = try await verifier.verify(
                request.body, boundary: MultipartBoundary(of: request), declaredBytes: request.declaredBytes,
                from: ClientAddress(request, context, trusting: trustedProxies))
            fields = HTTPFields(verification.allowance)
            result = FileResult(verification)
        } catch {
            guard let refusal = APIError(refusal: error) else { throw error }
            fields = refusal.headers
            status = refusal.code.status
            result = .problem(FileResult.Problem(error, refusal, declaredBytes: request.declaredBytes))
        }
        fields[.cacheControl] = "no-store"
        return try responder.response(pages.file(result, language), language, status: status, fields: fields, to: request)
    }

    private func embed(_ request: Request) async throws -> Response {
        let query = request.uri.queryParameters
        guard OEmbed.isSupported(query["format"].map(String.init)) else { throw OEmbed.unsupportedFormat }
        let publicURL = pages.settings.publicURL
        let found: PublicRecord? =
            switch OEmbed.subject(query["url"].map(String.init), publicURL: publicURL) {
            case .missing: throw APIError.invalid("url", "is missing")
            case .unknown: throw APIError(.notFound, "No record has this address.")
            case .id(let id): try await records.find(id, at: Date())
            case .short(let short): try await records.find(shortID: short, at: Date())
            }
        guard let record = found else { throw APIError.noSuchCapture }
        let language = Language(request)
        let body = OEmbed.body(
            record, title: pages.title(of: record, language), publicURL: publicURL, maximumWidth: query["maxwidth"].flatMap { Int($0) },
            maximumHeight: query["maxheight"].flatMap { Int($0) })
        return Response(
            status: .ok,
            headers: [
                .contentType: "application/json", .cacheControl: "public, max-age=\(body.cacheAge), must-revalidate",
                .vary: "Accept-Language, Cookie", .accessControlAllowOrigin: "*",
            ],
            body: .init(byteBuffer: ByteBuffer(bytes: try WireJSON.encode(body))))
    }
}
