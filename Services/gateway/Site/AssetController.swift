import CaptureProtocol
import HTTPTypes
import Hummingbird
import Site

/// `/assets/…`, `/favicon.ico` and `/robots.txt`: static files.
struct AssetController: Sendable {
    private let resources: SiteResources
    /// The gzip form by path, where it is smaller.
    private let compressed: [String: [UInt8]]

    /// Compresses the assets once, at the highest level.
    init(resources: SiteResources) {
        self.resources = resources
        compressed = resources.assets.compactMapValues { $0.isCompressed ? nil : ContentCoding.gzip($0.bytes, level: 9) }
    }

    func addRoutes(to routes: inout Routes) {
        routes.get("/assets/{a}") { request, context in
            try self.serve(try context.parameters.require("a"), request)
        }
        routes.get("/assets/{a}/{b}") { request, context in
            try self.serve("\(try context.parameters.require("a"))/\(try context.parameters.require("b"))", request)
        }
        // A version, then the path; an old version gets the current file.
        routes.get("/assets/{a}/{b}/{c}") { request, context in
            let isCurrent = try context.parameters.require("a") == self.resources.scriptVersion
            return try self.serve(
                "\(try context.parameters.require("b"))/\(try context.parameters.require("c"))", request, isCurrent: isCurrent)
        }
        routes.get("/favicon.ico") { request, _ in try self.serve("icon.svg", request) }
        routes.get("/robots.txt") { _, _ in Self.robots() }
    }

    /// - Parameter isCurrent: whether the path contains the current version, so that the response never changes.
    func serve(_ path: String, _ request: Request, isCurrent: Bool = false) throws(APIError) -> Response {
        guard let asset = resources.assets[path] else { throw .nothingHere }
        let isNamed = isCurrent || request.uri.queryParameters["v"].map { asset.digest.hex.hasPrefix($0) && $0.utf8.count >= 12 } == true
        let known = self.compressed[path]
        let compressed = known.flatMap { ContentCoding.isGzipTaken(by: request) ? $0 : nil }
        let plainTag = EntityTag.of(asset.digest)
        let tag = compressed == nil ? plainTag : ContentCoding.tag(plainTag)
        // Other sites show the card where a page is shared.
        let policy = "/assets/\(path)" == Page.neutralCard ? "cross-origin" : "same-origin"
        var fields: HTTPFields = [
            .contentType: asset.contentType, .eTag: tag, .xContentTypeOptions: "nosniff", .crossOriginResourcePolicy: policy,
            .contentSecurityPolicy: "default-src 'none'",
            .cacheControl: isNamed ? "public, max-age=31536000, immutable" : "public, max-age=300, must-revalidate",
        ]
        if known != nil { fields[.vary] = "Accept-Encoding" }
        if EntityTag.matches(request.headers[.ifNoneMatch], tag) { return Response(status: .notModified, headers: fields) }
        return ContentCoding.response(.ok, fields, plain: asset.bytes, compressed: compressed)
    }

    /// Crawlers may fetch records: `noindex` works only on pages that they can read.
    static func robots() -> Response {
        let text = "User-agent: *\nDisallow: /api/\nDisallow: /language\nDisallow: /oembed\nAllow: /\n"
        return Response(
            status: .ok, headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "public, max-age=3600"],
            body: .init(byteBuffer: ByteBuffer(string: text)))
    }
}
