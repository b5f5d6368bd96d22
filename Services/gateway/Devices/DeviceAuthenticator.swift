import CaptureProtocol
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import Persistence

/// A device as `devices` knows it, as far as requests need it.
struct KnownDevice: Sendable {
    let id: DeviceID
    let requestKey: (algorithm: RequestKey.Algorithm, key: [UInt8])?
    /// X9.63; `nil` for an unverified device.
    let attestedKey: [UInt8]?
    let appID: String?
    let isRevoked: Bool
    /// Its key was attested.
    var isVerified: Bool { attestedKey != nil }
}

/// Finds out which device a request is from. What can be refused before the body is read is refused then.
struct DeviceAuthenticator: Sendable {
    let database: PostgresPool
    let buckets: TokenBuckets
    let limits: RateLimits

    /// A request whose device is known, whose time is right, and whose signature is still to be checked against the body.
    struct Pending: Sendable {
        let device: KnownDevice
        fileprivate let headers: SignatureHeaders
        fileprivate let method: String
        fileprivate let target: String
        fileprivate let address: ClientAddress
    }

    /// - Parameter allowsVersion1: for `POST /api/v1/captures` only.
    func begin(
        _ headers: SignatureHeaders, _ request: Request, from address: ClientAddress, allowsVersion1: Bool
    ) async throws -> Pending {
        try await buckets.look(limits.failures, address.description)
        guard headers.version == "2" || (headers.version == "1" && allowsVersion1) else {
            throw await failed(
                APIError.invalid(
                    "X-Device-Signature-Version", allowsVersion1 ? "must be 1 or 2" : "must be 2", code: .signatureInvalid), address)
        }
        guard let id = DeviceID(headers.deviceID), let device = try await find(id) else {
            throw await failed(APIError(.deviceNotRegistered, "This device is not registered."), address)
        }
        guard !device.isRevoked else { throw APIError(.deviceRevoked, "This device has been revoked.") }
        guard RequestTimestamp.isCurrent(headers.timestamp, at: Date()) else {
            throw await failed(APIError(.timestampExpired, "The request's timestamp is more than five minutes off."), address)
        }
        return Pending(
            device: device, headers: headers, method: request.method.rawValue, target: request.uri.description, address: address)
    }

    /// - Parameter bodyDigest: SHA-256 of the body as it came.
    /// - Throws: `SIGNATURE_INVALID`.
    func finish(_ pending: Pending, bodyDigest: ContentDigest) async throws {
        let message = RequestMessage.text(
            version: pending.headers.version == "1" ? 1 : 2, method: pending.method, target: pending.target,
            timestamp: pending.headers.timestamp, deviceID: pending.headers.deviceID, bodyDigest: bodyDigest)
        guard pending.headers.signature.utf8.count <= 8192, let signature = Base64.decode(pending.headers.signature),
            RequestSignature.isValid(signature, of: message, by: pending.device)
        else { throw await failed(APIError(.signatureInvalid, "The request's signature does not verify."), pending.address) }
    }

    private func failed(_ error: APIError, _ address: ClientAddress) async -> any Error {
        do {
            try await buckets.debit(limits.failures, address.description)
            return error
        } catch {
            return error
        }
    }

    private func find(_ id: DeviceID) async throws -> KnownDevice? {
        let rows = try await database.query(
            """
            SELECT request_key_algorithm, request_key, public_key, app_id, revoked_at IS NOT NULL AS is_revoked
            FROM devices WHERE id = \(id.uuid)
            """)
        guard let row = rows.first else { return nil }
        let algorithm = try row.getOptional("request_key_algorithm", as: String.self).flatMap(RequestKey.Algorithm.init(rawValue:))
        let key = try row.getOptional("request_key", as: [UInt8].self)
        return KnownDevice(
            id: id, requestKey: algorithm.flatMap { algorithm in key.map { (algorithm, $0) } },
            attestedKey: try row.getOptional("public_key"), appID: try row.getOptional("app_id"), isRevoked: try row.get("is_revoked"))
    }
}
