import CaptureProtocol
import Foundation
import HTTPTypes
import Hummingbird
import Models
import NIOCore

/// `GET /api/v1/devices/challenge` and `POST /api/v1/devices/register`.
struct DevicesController: Sendable {
    let challenges: any ChallengeRepository
    let registrations: any RegistrationRepository
    let waiters: Waiters
    let buckets: any TokenBuckets
    let limits: RateLimits
    let trustedProxies: [AddressRange]
    /// How long a request waits for its registration's outcome.
    var timeout: Duration = .seconds(10)

    func addRoutes(to routes: inout Routes) {
        routes.get(APIPath.challenge) { request, context in try await self.challenge(request, context) }
        routes.post(APIPath.registration) { request, context in try await self.register(request, context) }
    }

    private static let tooLarge = APIError(.payloadTooLarge, "A registration is at most \(SizeLimits.registration >> 10) KiB.")

    private func challenge(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let address = ClientAddress(request, context, trusting: trustedProxies)
        var headers = HTTPFields(try await buckets.debit(limits.challenges, address.description))
        let (challenge, expiresAt) = try await challenges.issue()
        headers[.cacheControl] = "no-store"
        return try Envelope.success(
            RegistrationChallenge(challenge: challenge, expiresAt: expiresAt), headers: headers, context: context)
    }

    private func register(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let address = ClientAddress(request, context, trusting: trustedProxies)
        guard request.mediaType == "application/json" else {
            throw APIError(.unsupportedMediaType, "The body must be application/json.")
        }
        if let length = request.declaredBytes, length > SizeLimits.registration {
            throw Self.tooLarge
        }
        let headers = HTTPFields(try await buckets.debit(limits.registrations, address.description))
        let bytes = try await collect(request)
        let body = try RegistrationBody(bytes)
        guard case .registration(let id) = try await challenges.consume(body, digest: ContentDigest(of: bytes)) else {
            throw APIError(.challengeInvalid, "The challenge is unknown, expired or used.")
        }
        return try response(to: try await outcome(of: id), headers: headers, context)
    }

    private func collect(_ request: Request) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await chunk in request.body {
            guard bytes.count + chunk.readableBytes <= SizeLimits.registration else {
                throw Self.tooLarge
            }
            bytes.append(contentsOf: chunk.readableBytesView)
        }
        return bytes
    }

    private func outcome(of id: RegistrationID) async throws -> RegistrationRecord {
        let deadline = ContinuousClock.now + timeout
        while ContinuousClock.now < deadline {
            if let record = try await settled(id) { return record }
            try Task.checkCancellation()
            await waiters.wait(for: id.description)
        }
        if let record = try await settled(id) { return record }
        throw APIError.retryLater(
            .serviceUnavailable, "The attestation is still being appraised; send the same request again.", seconds: 5)
    }

    /// The final outcome; `nil` while there is none. A `failed` registration is the server's fault and is being appraised again.
    private func settled(_ id: RegistrationID) async throws -> RegistrationRecord? {
        guard let record = try await registrations.find(id), record.outcome != .failed else { return nil }
        return record
    }

    private func response(to record: RegistrationRecord, headers: HTTPFields, _ context: GatewayContext) throws -> Response {
        switch (record.outcome, record.device) {
        case (.registered, let device?): return try Envelope.success(device, status: .created, headers: headers, context: context)
        case (.invalidAttestation, _):
            throw APIError(
                .invalidAttestation, "The attestation does not verify, and the device gave no request key or the object is malformed.")
        case (.alreadyRegistered, _): throw APIError(.deviceAlreadyRegistered, "A device with this key is registered.")
        case (.registered, nil), (.failed, _): throw APIError(.internalError, "The registration could not be completed.")
        }
    }
}
