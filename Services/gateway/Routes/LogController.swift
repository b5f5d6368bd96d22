import CaptureProtocol
import HTTPTypes
import Hummingbird
import TransparencyLog

/// The files of the public log, for whoever follows it (SPEC §14 "Routes", c2sp.org/tlog-tiles): as they are in the store, without the
/// envelope, and readable from any site. Only what belongs to a published tree is served.
struct LogController: Sendable {
    let log: any LogReading
    let tiles: LogTiles
    /// Shared with the media: both are read from the store.
    let downloads: ConcurrencyLimit
    let policy: TrustPolicy?
    let trustedProxies: [AddressRange]

    private static let forAnyone: HTTPFields = [.accessControlAllowOrigin: "*", .crossOriginResourcePolicy: "cross-origin"]

    func addRoutes(to routes: inout Routes) {
        routes.get("/log/policy") { request, _ in try self.policy(request) }
        routes.get("/log/{shard}/checkpoint") { request, context in try await self.checkpoint(request, context) }
        routes.get("/log/{shard}/tile/**") { request, context in try await self.tile(request, context) }
    }

    private func policy(_ request: Request) throws -> Response {
        guard let policy else { throw APIError.nothingHere }
        return Self.text(policy.bytes, to: request)
    }

    private func checkpoint(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let (shard, _) = try await place(request)
        let permit = try downloads.acquire(address: ClientAddress(request, context, trusting: trustedProxies).description)
        defer { permit.release() }
        guard let bytes = try await tiles.checkpoint(of: shard) else { throw APIError.nothingHere }
        return Self.text(bytes, to: request)
    }

    private func tile(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let (shard, path) = try await place(request)
        guard let tile = try? Tile(path: path) else { throw APIError.nothingHere }
        let permit = try downloads.acquire(address: ClientAddress(request, context, trusting: trustedProxies).description)
        defer { permit.release() }
        guard let bytes = try await tiles.bytes(of: tile, in: shard) else { throw APIError.nothingHere }
        // The same for all time, but a tile with fewer entries than it can have says so in its name.
        var fields = Self.forAnyone
        fields[.contentType] = "application/octet-stream"
        fields[.cacheControl] = "public, max-age=31536000, immutable"
        // Hashes do not get smaller.
        let isEntries = tile.kind == .entries
        if isEntries { fields[.vary] = "Accept-Encoding" }
        let compressed = isEntries && ContentCoding.isGzipTaken(by: request) ? ContentCoding.gzip(bytes) : nil
        return Self.response(bytes, compressed: compressed, fields, to: request)
    }

    /// The shard that a path is of, and the rest of the path, byte for byte: `%` and repeated slashes mean nothing here.
    private func place(_ request: Request) async throws -> (PublishedShard, path: String) {
        let parts = request.uri.path.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, Self.isShard(parts[2]), let shard = try await log.published(shard: String(parts[2])) else {
            throw APIError.nothingHere
        }
        return (shard, String(parts[3]))
    }

    /// `[a-z0-9-]{1,32}`.
    private static func isShard(_ name: Substring) -> Bool {
        (1...32).contains(name.utf8.count)
            && name.utf8.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
    }

    private static func text(_ bytes: [UInt8], to request: Request) -> Response {
        var fields = forAnyone
        fields[.contentType] = "text/plain; charset=utf-8"
        fields[.cacheControl] = "no-cache"
        return response(bytes, compressed: nil, fields, to: request)
    }

    private static func response(_ bytes: [UInt8], compressed: [UInt8]?, _ fields: HTTPFields, to request: Request) -> Response {
        var fields = fields
        let plain = EntityTag.of(ContentDigest(of: bytes))
        let tag = compressed == nil ? plain : ContentCoding.tag(plain)
        fields[.eTag] = tag
        if EntityTag.matches(request.headers[.ifNoneMatch], tag) { return Response(status: .notModified, headers: fields) }
        return ContentCoding.response(.ok, fields, plain: bytes, compressed: compressed)
    }
}
