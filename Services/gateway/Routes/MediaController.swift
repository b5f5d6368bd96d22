import CaptureProtocol
import Foundation
import HTTPTypes
import Hummingbird
import Models
import ObjectStorage
import Site

/// `GET /media/{capture id}/{name}`: published objects, streamed from the store or by redirect (SPEC §5).
///
/// A whole object is compared with its row's digest while it is sent. On a mismatch its last bytes are withheld, so the response ends
/// before its declared length. Partial ranges and redirects cannot be compared; clients have the digest in `ETag`.
struct MediaController: Sendable {
    /// Published bytes must not run, load or frame anything, whatever they contain.
    static let policy = "default-src 'none'; frame-ancestors 'none'; sandbox"
    let objects: any MediaObjectRepository
    /// Has its own connections, so slow downloads do not block uploads.
    let storage: any DownloadStore
    /// Below the number of connections to the store.
    let downloads: ConcurrencyLimit
    let links: MediaLinks
    let publicEndpoint: URL?
    let trustedProxies: [AddressRange]

    func addRoutes(to routes: inout Routes) {
        routes.get("/media/{id}/{name}") { request, context in try await self.serve(request, context) }
    }

    private func serve(_ request: Request, _ context: GatewayContext) async throws -> Response {
        guard let id = CaptureID(try context.parameters.require("id")),
            let name = MediaName(rawValue: try context.parameters.require("name")), name.role != nil
        else {
            throw APIError.nothingHere
        }
        let query = request.uri.queryParameters
        switch links.check(
            id, name, expires: query["expires"].map(String.init), signature: query["signature"].map(String.init), at: Date())
        {
        case .valid: break
        case .forged: throw APIError(.forbidden, "The link's signature is not valid.")
        case .expired:
            // Of a withdrawn capture there is no new link.
            _ = try await objects.find(id, name)
            throw APIError(.gone, "The link has expired.")
        }
        guard let found = try await objects.find(id, name) else { throw APIError.nothingHere }
        let object = found.media
        // The card shows a verdict.
        if name == .shareCard, found.isRevoked {
            return Response(status: .found, headers: [.location: Page.neutralCard, .cacheControl: "no-store"])
        }
        // A link is signed for GET. HEAD needs nothing from the store.
        if let publicEndpoint, found.isTimePublic, request.method != .head {
            let location = storage.presignedGet(
                object.key, expires: .seconds(300), at: Date(), endpoint: publicEndpoint, contentType: name.contentType)
            return Response(status: .found, headers: [.location: location, .cacheControl: "no-store"])
        }
        return try await stream(object, named: name, request, from: ClientAddress(request, context, trusting: trustedProxies))
    }

    private func stream(
        _ object: StoredMedia, named name: MediaName, _ request: Request, from address: ClientAddress
    ) async throws -> Response {
        let tag = EntityTag.of(object.sha256)
        var headers: HTTPFields = [
            .eTag: tag, .acceptRanges: "bytes", .contentType: name.contentType, .contentSecurityPolicy: Self.policy,
            .contentDigest: "sha-256=:\(Base64.encode(object.sha256.bytes)):",
            .cacheControl: name.isOpen ? "public, max-age=60, must-revalidate" : "private, max-age=3600",
        ]
        if EntityTag.matches(request.headers[.ifNoneMatch], tag) { return Response(status: .notModified, headers: headers) }
        // RFC 9110 §14.2: ranges apply to GET only.
        let isRangeAllowed = request.method == .get && EntityTag.allowsRange(request.headers[.ifRange], tag)
        switch MediaRange(isRangeAllowed ? request.headers[.range] : nil, sizeBytes: object.sizeBytes) {
        case .whole:
            headers[.contentLength] = String(object.sizeBytes)
            let body = try await body(request, address) { .init(asyncSequence: try await storage.stream(object)) }
            return Response(status: .ok, headers: headers, body: body)
        case .part(let range):
            // `Content-Digest` covers the content (RFC 9530 §2), here a part, but the known digest is of the whole object.
            headers[.contentDigest] = nil
            headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound)/\(object.sizeBytes)"
            headers[.contentLength] = String(range.upperBound - range.lowerBound + 1)
            let isAll = range.count == object.sizeBytes
            let body = try await body(request, address) {
                isAll
                    ? .init(asyncSequence: try await storage.stream(object))
                    : .init(asyncSequence: try await storage.range(range, of: object))
            }
            return Response(status: .partialContent, headers: headers, body: body)
        case .unsatisfiable:
            return Response(
                status: .rangeNotSatisfiable,
                headers: [.contentRange: "bytes */\(object.sizeBytes)", .contentSecurityPolicy: Self.policy])
        }
    }

    /// Streams bytes from the store. The permit is held until the client has received them all or disconnects.
    private func body(
        _ request: Request, _ address: ClientAddress, _ open: () async throws -> ResponseBody
    ) async throws -> ResponseBody {
        // HEAD needs nothing from the store; the length is in the header.
        guard request.method != .head else { return ResponseBody() }
        let permit = try downloads.acquire(address: address.description)
        let content = try await open()
        return ResponseBody { writer in
            defer { permit.release() }
            try await content.write(writer)
        }
    }
}
