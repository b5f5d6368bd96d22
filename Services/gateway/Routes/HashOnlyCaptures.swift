import CaptureProtocol
import Foundation
import Hummingbird
import Models

/// `POST /api/v1/captures` with JSON: a capture in privacy mode (SPEC §9). Limits and refusals are those of photos, in the same order.
struct HashOnlyCaptures: Sendable {
    let authenticator: DeviceAuthenticator
    let upload: HashOnlyUpload
    let uploads: ConcurrencyLimit
    let buckets: TokenBuckets
    let limits: RateLimits
    let publicURL: String

    /// - Returns: `nil` for another media type.
    func respond(
        to request: Request, _ headers: SignatureHeaders, from address: ClientAddress, _ context: GatewayContext
    ) async throws -> Response? {
        guard request.mediaType == "application/json" else { return nil }
        if let length = request.declaredBytes, length > SizeLimits.hashOnlyBody { throw CaptureError.hashOnlyTooLarge }
        let pending = try await authenticator.begin(headers, request, from: address, allowsVersion1: false)
        let device = pending.device.id.description
        let rate = limits.captures(ofVerified: pending.device.isVerified)
        try await buckets.peek(rate, device)
        try await buckets.peek(limits.capturesOfAddress, address.description)
        let permit = try uploads.acquire(address: address.description, device: device, isVerified: pending.device.isVerified)
        defer { permit.release() }
        var fields = HTTPFields()
        let (id, recorded) = try await upload.take(
            request.body, from: pending.device, authenticate: { try await authenticator.finish(pending, bodyDigest: $0) },
            admit: {
                fields = HTTPFields(try await buckets.debit(rate, device))
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
            AcceptedCapture(captureID: id, status: status, verificationURL: "\(publicURL)/verify/\(id)"), status: code, headers: headers,
            context: context)
    }
}
