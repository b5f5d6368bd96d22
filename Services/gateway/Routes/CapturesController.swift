import Logging
import CaptureProtocol
import Crypto
import Foundation
import Hummingbird
import Models
import Multipart

/// `POST /api/v1/captures` and `GET /api/v1/captures/{id}`.
struct CapturesController: Sendable {
    let authenticator: DeviceAuthenticator
    let captures: CaptureRepository
    let upload: CaptureUpload
    let hashOnly: HashOnlyCaptures
    let uploads: ConcurrencyLimit
    let buckets: TokenBuckets
    let limits: RateLimits
    let links: MediaLinks
    let publicURL: String
    let trustedProxies: [AddressRange]

    func addRoutes(to routes: inout Routes) {
        routes.post("/api/v1/captures") { request, context in try await self.submit(request, context) }
        routes.get("/api/v1/captures/{id}") { request, context in try await self.show(request, context) }
    }

    private func submit(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let address = ClientAddress(request, context, trusting: trustedProxies)
        let headers = try SignatureHeaders(request.headers)
        if let response = try await hashOnly.respond(to: request, headers, from: address, context) { return response }
        let boundary = try MultipartBoundary(of: request)
        if let length = request.declaredBytes, length > SizeLimits.capture { throw CaptureError.tooLarge }
        let pending = try await authenticator.begin(headers, request, from: address, allowsVersion1: true)
        let device = pending.device.id
        let rate = limits.captures(ofVerified: pending.device.isVerified)
        try await buckets.peek(rate, device.description)
        try await buckets.peek(limits.capturesOfAddress, address.description)
        let permit = try uploads.acquire(
            address: address.description, device: device.description, isVerified: pending.device.isVerified)
        defer { permit.release() }
        var fields = HTTPFields()
        let (id, recorded) = try await upload.take(
            request.body, boundary: boundary, from: device, logger: context.logger,
            authenticate: { try await authenticator.finish(pending, bodyDigest: $0) },
            admit: {
                fields = HTTPFields(try await buckets.debit(rate, device.description))
                try await buckets.debit(limits.capturesOfAddress, address.description)
            })
        switch recorded {
        case .new: return try accepted(id, .processing, .created, fields, context)
        case .known(let known): return try accepted(known.id, known.status, .ok, fields, context)
        }
    }

    private func accepted(
        _ id: CaptureID, _ status: CaptureStatus, _ code: HTTPResponse.Status, _ headers: HTTPFields, _ context: GatewayContext
    ) throws -> Response {
        var headers = headers
        headers[.location] = "/api/v1/captures/\(id)"
        return try Envelope.success(
            AcceptedCapture(captureID: id, status: status, verificationURL: "\(publicURL)/verify/\(id)"), status: code,
            headers: headers, context: context)
    }

    private func show(_ request: Request, _ context: GatewayContext) async throws -> Response {
        guard let id = CaptureID(try context.parameters.require("id")) else {
            throw APIError(.captureNotFound, "There is no such capture.")
        }
        let isSigned = SignatureHeaders.isAny(in: request.headers)
        var reader: DeviceID?
        if isSigned {
            let address = ClientAddress(request, context, trusting: trustedProxies)
            let pending = try await authenticator.begin(
                SignatureHeaders(request.headers), request, from: address, allowsVersion1: false)
            try await authenticator.finish(pending, bodyDigest: ContentDigest(of: [UInt8]()))
            reader = pending.device.id
        }
        guard let row = try await captures.find(id) else { throw APIError(.captureNotFound, "There is no such capture.") }
        let view = CaptureView(row, isOwner: reader == row.deviceID, links: links, publicURL: publicURL, at: Date())
        var headers: HTTPFields = [
            .cacheControl: isSigned ? "private, no-store" : "no-cache",
            .vary: SignatureHeaders.names.map(\.rawName).joined(separator: ", "),
        ]
        let tag = "\"\(Hex.encode(SHA256.hash(data: try WireJSON.encode(view)).prefix(16)))\""
        headers[.eTag] = tag
        if EntityTag.matches(request.headers[.ifNoneMatch], tag) { return Response(status: .notModified, headers: headers) }
        return try Envelope.success(view, headers: headers, context: context)
    }
}
