import CaptureProtocol
import Foundation

/// The server's two routes of a registration (SPEC §2).
struct RegistrationAPI: Sendable {
    let transport: any HTTPTransport

    /// The server's answer to a registration.
    enum Answer {
        case registered(RegistrationResult)
        /// The challenge was used or expired, or the key is registered to a device that this one is not: only a new key can be registered.
        case keySpent
    }

    /// A challenge and the seconds until it expires, both by the server's clock, so that this device's may be wrong.
    /// - Throws: ``RegistrationFailure``.
    func challenge() async throws -> (bytes: [UInt8], lifetime: TimeInterval) {
        let response = try await send(HTTPRequest("GET", "/api/v1/devices/challenge", headers: [("Accept", "application/json")]))
        guard response.status == 200, let envelope = Self.decode(Envelope<RegistrationChallenge>.self, response) else {
            throw Self.failure(response)
        }
        let lifetime = envelope.data.expiresAt.timeIntervalSince(envelope.meta.timestamp)
        guard envelope.data.challenge.bytes.count == 32, lifetime > 0 else {
            throw RegistrationFailure.unexpectedResponse(status: response.status)
        }
        return (envelope.data.challenge.bytes, lifetime)
    }

    /// - Parameter body: JSON of a ``DeviceRegistration``.
    /// - Throws: ``RegistrationFailure``.
    func register(_ body: [UInt8]) async throws -> Answer {
        let headers = [(name: "Accept", value: "application/json"), ("Content-Type", "application/json")]
        let response = try await send(HTTPRequest("POST", "/api/v1/devices/register", headers: headers, body: BytesBody(body)))
        if response.status == 201, let envelope = Self.decode(Envelope<RegistrationResult>.self, response) {
            return .registered(envelope.data)
        }
        switch Self.failure(response) {
        case .refused(_, code: "CHALLENGE_INVALID", _), .refused(_, code: "DEVICE_ALREADY_REGISTERED", _): return .keySpent
        case let failure: throw failure
        }
    }

    private func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        do {
            return try await transport.send(request)
        } catch let failure as TransportFailure {
            throw RegistrationFailure.transport(failure)
        }
    }

    private static func failure(_ response: HTTPResponse) -> RegistrationFailure {
        switch response.status {
        case 429, 500...:
            let seconds = response.headers["retry-after"].flatMap { Int($0) }
            return .busy(status: response.status, retryAfter: seconds.map { .seconds(min(max($0, 0), 86_400)) })
        case 400..<500:
            let error = decode(ErrorEnvelope.self, response)?.error
            return error.map { .refused(status: response.status, code: $0.code, message: $0.message) }
                ?? .unexpectedResponse(status: response.status)
        default: return .unexpectedResponse(status: response.status)
        }
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ response: HTTPResponse) -> Value? {
        try? JSONDecoder.api.decode(type, from: Data(response.body))
    }
}

/// A successful response.
private struct Envelope<Value: Decodable>: Decodable {
    struct Meta: Decodable {
        /// The server's time.
        let timestamp: Date
    }
    let data: Value
    let meta: Meta
}

/// An error response.
private struct ErrorEnvelope: Decodable {
    struct Problem: Decodable {
        let code: String
        let message: String
    }
    let error: Problem
}
