import CaptureProtocol
import Foundation
import Hummingbird
import Models

/// `POST /api/v1/captures` with JSON: a capture in privacy mode (SPEC §9). Limits and refusals are those of photos, in the same order,
/// for videos too, of which nothing has to be read.
struct HashOnlyCaptures: Sendable {
    let authenticator: DeviceAuthenticator
    let upload: HashOnlyUpload
    let uploads: ConcurrencyLimit
    let rates: CaptureRates
    let publicURL: String

    /// - Returns: `nil` for another media type.
    func respond(
        to request: Request, _ headers: SignatureHeaders, from address: ClientAddress, _ context: GatewayContext
    ) async throws -> Response? {
        guard request.mediaType == "application/json" else { return nil }
        if let length = request.declaredBytes, length > SizeLimits.hashOnlyBody { throw CaptureError.hashOnlyTooLarge }
        let pending = try await authenticator.begin(headers, request, from: address, allowsVersion1: false)
        try await rates.peek(.photo, of: pending.device, from: address)
        let permit = try uploads.acquire(
            address: address.description, device: pending.device.id.description, isVerified: pending.device.isVerified)
        defer { permit.release() }
        var allowance: RateAllowance?
        let (id, type, recorded) = try await upload.take(
            request.body, from: pending.device, begun: context.begun,
            authenticate: { try await authenticator.finish(pending, bodyDigest: $0) },
            admit: { allowance = try await rates.debit(.photo, of: pending.device, from: address) })
        return try Envelope.recorded(RecordedCapture(id, type, recorded, allowance), publicURL: publicURL, context: context)
    }
}
