import CaptureProtocol
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Models
import TransparencyLog

/// `GET /api/v1/captures/{id}/bundle`: what proves a verdict offline (SPEC §14 "Bundle").
struct BundleController: Sendable {
    static let contentType = "application/vnd.rial.bundle.v1+zip"
    /// How many bundles with media may be in progress: each holds a file until its client has read it. All of them are downloads, too.
    static let limits = PermitLedger.Limits(total: 0, perAddress: 2)
    let authenticator: DeviceAuthenticator
    let captures: any CaptureRepository
    let maker: BundleMaker
    let media: MediaScratch
    /// Shared with the media: both are read from the store.
    let downloads: ConcurrencyLimit
    let bundles: ConcurrencyLimit
    let trustedProxies: [AddressRange]

    func addRoutes(to routes: inout Routes) {
        routes.get("\(APIPath.captures)/{id}/bundle") { request, context in try await self.show(request, context) }
    }

    private func show(_ request: Request, _ context: GatewayContext) async throws -> Response {
        guard let id = CaptureID(try context.parameters.require("id")) else { throw APIError.noSuchCapture }
        let withMedia = try Self.wantsMedia(request)
        let address = ClientAddress(request, context, trusting: trustedProxies)
        let reader = try await authenticator.reader(of: request, from: address)
        guard let row = try await captures.find(id) else { throw APIError.noSuchCapture }
        let permit = try downloads.acquire(address: address.description)
        let made: (bundle: EvidenceBundle, media: NamedMedia?)
        do {
            made = try await maker.bundle(of: row, isOwned: reader == row.deviceID, at: Date())
        } catch let damage as BundleMaker.Damaged {
            context.logger.error("a bundle's proof does not verify", metadata: ["capture_id": "\(id)", "problem": "\(damage.detail)"])
            throw APIError.retryLater(.storageError, "The public log cannot be read at the moment.", seconds: 60)
        }
        let added = withMedia ? made.media : nil
        let bytes = try made.bundle.bytes()
        var fields = SignatureHeaders.responseFields(to: reader)
        fields[.contentType] = Self.contentType
        fields[.contentDisposition] = "attachment; filename=\"\(id).rial\""
        fields[.contentSecurityPolicy] = MediaController.policy
        let tag = Self.tag(bytes, added)
        fields[.eTag] = tag
        if EntityTag.matches(request.headers[.ifNoneMatch], tag) { return Response(status: .notModified, headers: fields) }
        guard let added else { return Response(status: .ok, headers: fields, body: .init(byteBuffer: ByteBuffer(bytes: bytes))) }
        let isHead = request.method == .head
        let bundlePermit = isHead ? nil : try bundles.acquire(address: address.description)
        return try await response(made.bundle, adding: added, fields, [permit, bundlePermit].compactMap(\.self), isHead: isHead)
    }

    /// The media are read into a file first: a ZIP entry begins with a checksum of its content.
    private func response(
        _ bundle: EvidenceBundle, adding added: NamedMedia, _ fields: HTTPFields, _ permits: [ConcurrencyLimit.Permit], isHead: Bool
    ) async throws -> Response {
        let file = isHead ? nil : try await media.read(added)
        let (head, tail) = try bundle.bytes(around: file?.bundled ?? BundledFile(name: added.name.rawValue))
        var fields = fields
        fields[.contentLength] = String(Int64(head.count) + added.media.sizeBytes + Int64(tail.count))
        guard let file else { return Response(status: .ok, headers: fields) }
        return Response(
            status: .ok, headers: fields,
            body: ResponseBody { writer in
                defer { for permit in permits { permit.release() } }
                try await writer.write(ByteBuffer(bytes: head))
                try await file.write(to: &writer)
                try await writer.write(ByteBuffer(bytes: tail))
                try await writer.finish(nil)
            })
    }

    private static func wantsMedia(_ request: Request) throws(APIError) -> Bool {
        switch request.uri.queryParameters["media"] {
        case nil, "0": false
        case "1": true
        default: throw .invalid("media", "must be 0 or 1")
        }
    }

    /// The entity tag: a digest of everything that the answer is made of.
    private static func tag(_ bytes: [UInt8], _ media: NamedMedia?) -> String {
        let added = media.map { Array("\($0.name.rawValue) \($0.media.sha256.hex)".utf8) } ?? []
        return EntityTag.of(ContentDigest(of: ContentDigest(of: bytes).bytes + added), length: 32)
    }
}
