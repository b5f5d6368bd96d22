import CaptureProtocol
import Foundation
import Hummingbird
import Logging
import Models
import Multipart

/// `POST /api/v1/captures`, `POST /api/v1/captures/video` and `GET /api/v1/captures/{id}`.
struct CapturesController: Sendable {
    let authenticator: DeviceAuthenticator
    let captures: any CaptureRepository
    let acceptance: CaptureAcceptance
    let hashOnly: HashOnlyCaptures
    let resumable: ResumableCreation
    let uploads: ConcurrencyLimit
    let log: LogStatusReader
    let links: MediaLinks
    let publicURL: String
    let trustedProxies: [AddressRange]

    func addRoutes(to routes: inout Routes) {
        routes.post(APIPath.captures) { request, context in try await self.submit(.photo, request, context) }
        routes.post(APIPath.videos) { request, context in try await self.submit(.video, request, context) }
        routes.get("\(APIPath.captures)/{id}") { request, context in try await self.show(request, context) }
    }

    private func submit(_ type: CaptureType, _ request: Request, _ context: GatewayContext) async throws -> Response {
        let address = ClientAddress(request, context, trusting: trustedProxies)
        let headers = try SignatureHeaders(request.headers)
        if type == .photo, let response = try await hashOnly.respond(to: request, headers, from: address, context) { return response }
        if let response = try await resumable.respond(to: request, as: type, headers, from: address, context) { return response }
        let boundary = try MultipartBoundary(of: request)
        if let length = request.declaredBytes, length > type.bodyLimit { throw CaptureError.tooLarge(type.bodyLimit) }
        // Version 1 is for photos only (SPEC §2, §10.1).
        let pending = try await authenticator.begin(headers, request, from: address, allowsVersion1: type == .photo)
        try await acceptance.rates.peek(type, of: pending.device, from: address)
        let permit = try uploads.acquire(
            address: address.description, device: pending.device.id.description, isVerified: pending.device.isVerified)
        defer { permit.release() }
        let body = IncomingBody(
            type: type, boundary: boundary, begun: context.begun, declaredBytes: request.declaredBytes, logger: context.logger)
        let recorded = try await acceptance.accept(
            request.body, body, from: pending.device, at: address,
            authenticate: { try await authenticator.finish(pending, bodyDigest: $0) })
        return try Envelope.recorded(recorded, publicURL: publicURL, context: context)
    }

    private func show(_ request: Request, _ context: GatewayContext) async throws -> Response {
        guard let id = CaptureID(try context.parameters.require("id")) else { throw APIError.noSuchCapture }
        let reader = try await authenticator.reader(of: request, from: ClientAddress(request, context, trusting: trustedProxies))
        guard let row = try await captures.find(id) else { throw APIError.noSuchCapture }
        let now = Date()
        let view = CaptureView(
            row, isOwner: reader == row.deviceID, log: try await log.status(of: row.id, row.status, at: now), links: links,
            publicURL: publicURL, at: now)
        var headers = SignatureHeaders.responseFields(to: reader)
        let tag = EntityTag.of(ContentDigest(of: try WireJSON.encode(view)), length: 32)
        headers[.eTag] = tag
        if EntityTag.matches(request.headers[.ifNoneMatch], tag) { return Response(status: .notModified, headers: headers) }
        return try Envelope.success(view, headers: headers, context: context)
    }
}

extension CaptureType {
    /// The maximum of an upload's body, in bytes.
    var bodyLimit: Int {
        switch self {
        case .photo: PhotoParts.bodyLimit
        case .video: VideoParts.bodyLimit
        }
    }
}

extension Envelope {
    /// The response to an upload in one request: 201 for a new capture, 200 for one that the device has sent before.
    static func recorded(_ recorded: RecordedCapture, publicURL: String, context: GatewayContext) throws -> Response {
        var fields = HTTPFields(recorded.allowance)
        fields[.location] = APIPath.capture(recorded.id)
        return try success(
            AcceptedCapture(recorded, publicURL: publicURL), status: recorded.isNew ? .created : .ok, headers: fields, context: context)
    }
}
