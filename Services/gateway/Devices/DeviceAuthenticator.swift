import CaptureProtocol
import Foundation
import HTTPTypes
import Hummingbird

/// Authenticates the device of a request, in two steps: what can be rejected before the body is read is rejected then.
struct DeviceAuthenticator: Sendable {
    let devices: any DeviceRepository
    let buckets: any TokenBuckets
    let limits: RateLimits

    /// A request with a known device and a current timestamp, whose signature is still to be verified against the body.
    struct Pending: Sendable {
        let device: KnownDevice
        fileprivate let headers: SignatureHeaders
        fileprivate let method: String
        fileprivate let target: String
        fileprivate let address: ClientAddress
    }

    /// - Parameter allowsVersion1: whether signature version 1 is allowed: for `POST /api/v1/captures` only.
    func begin(
        _ headers: SignatureHeaders, _ request: Request, from address: ClientAddress, allowsVersion1: Bool
    ) async throws -> Pending {
        try await buckets.peek(limits.failures, address.description)
        guard headers.version == "2" || (headers.version == "1" && allowsVersion1) else {
            throw await failed(.unsupportedVersion(allowed: allowsVersion1 ? "1 or 2" : "2"), address)
        }
        guard let id = DeviceID(headers.deviceID), let device = try await devices.find(id) else {
            throw await failed(.unknownDevice, address)
        }
        guard !device.isRevoked else { throw AuthenticationError.revokedDevice }
        guard RequestTimestamp.isCurrent(headers.timestamp, at: Date()) else {
            throw await failed(.timestampExpired, address)
        }
        return Pending(
            device: device, headers: headers, method: request.method.rawValue, target: request.uri.description, address: address)
    }

    /// - Parameter bodyDigest: SHA-256 of the raw body.
    /// - Throws: ``AuthenticationError/invalidSignature``.
    func finish(_ pending: Pending, bodyDigest: ContentDigest) async throws {
        let message = RequestMessage.text(
            version: pending.headers.version == "1" ? 1 : 2, method: pending.method, target: pending.target,
            timestamp: pending.headers.timestamp, deviceID: pending.headers.deviceID, bodyDigest: bodyDigest)
        guard pending.headers.signature.utf8.count <= 8192, let signature = Base64.decode(pending.headers.signature),
            RequestSignature.isValid(signature, of: message, by: pending.device)
        else { throw await failed(.invalidSignature, pending.address) }
    }

    /// The device that signed a read (version 2), which has no body; `nil` if nobody signed it.
    /// - Throws: ``AuthenticationError``: signatures that are not valid are refused, not passed over.
    func reader(of request: Request, from address: ClientAddress) async throws -> DeviceID? {
        guard SignatureHeaders.isAny(in: request.headers) else { return nil }
        let pending = try await begin(SignatureHeaders(request.headers), request, from: address, allowsVersion1: false)
        try await finish(pending, bodyDigest: ContentDigest(of: [UInt8]()))
        return pending.device.id
    }

    /// Counts the failure against the address.
    /// - Returns: the error, or ``RateLimitExceeded`` after too many failures.
    private func failed(_ error: AuthenticationError, _ address: ClientAddress) async -> any Error {
        do {
            try await buckets.debit(limits.failures, address.description)
            return error
        } catch {
            return error
        }
    }
}
