import CaptureProtocol
import Foundation

/// The server's two routes of a registration (SPEC §2).
struct RegistrationAPI: Sendable {
    let transport: any HTTPTransport
    let clock: any WallClock

    /// The server's answer to a registration.
    enum Answer {
        case registered(RegistrationResult)
        /// The challenge was used or expired, or the key is registered to a device that this one is not: only a new key can be registered.
        case keySpent
    }

    /// A challenge and the seconds until it expires, both by the server's clock, so that this device's may be wrong.
    /// - Throws: ``RegistrationFailure``.
    func challenge() async throws -> (bytes: [UInt8], lifetime: TimeInterval) {
        let request = HTTPRequest("GET", APIPath.challenge, headers: [("Accept", "application/json")])
        let response: HTTPResponse
        do {
            response = try await transport.send(request)
        } catch let failure as TransportFailure {
            throw RegistrationFailure.transport(failure)
        }
        guard response.status == 200, let envelope = ResponseEnvelope(response), let now = envelope.serverTime,
            let challenge = envelope.data(as: RegistrationChallenge.self), challenge.challenge.bytes.count == 32, challenge.expiresAt > now
        else { throw RegistrationFailure(status: response.status, retryAfter: response.retryAfter(at: clock.now)) }
        return (challenge.challenge.bytes, challenge.expiresAt.timeIntervalSince(now))
    }

    /// - Parameter body: JSON of a ``DeviceRegistration``.
    /// - Throws: ``RegistrationFailure``.
    func register(_ body: [UInt8]) async throws -> Answer {
        let headers = [(name: "Accept", value: "application/json"), ("Content-Type", "application/json")]
        let outcome: Result<HTTPResponse, any Error>
        do {
            outcome = .success(
                try await transport.send(HTTPRequest("POST", APIPath.registration, headers: headers, body: BytesBody(body))))
        } catch let failure as TransportFailure {
            outcome = .failure(failure)
        }
        switch RegistrationReaction(to: outcome, at: clock.now) {
        case .registered(let result): return .registered(result)
        case .newKey: return .keySpent
        case .refused(let error):
            throw RegistrationFailure.refused(status: error.status, code: error.code ?? "", message: error.message)
        case .tryLater(.server(let error), let retryAfter): throw RegistrationFailure(status: error.status, retryAfter: retryAfter)
        case .tryLater(.transport(let failure), _): throw RegistrationFailure.transport(failure)
        case .tryLater(.device(let text), _): throw RegistrationFailure.transport(.unreachable(text))
        }
    }
}

extension RegistrationFailure {
    /// The failure for an answer that says nothing of the device.
    fileprivate init(status: Int, retryAfter: Duration?) {
        self = status == 429 || status >= 500 ? .busy(status: status, retryAfter: retryAfter) : .unexpectedResponse(status: status)
    }
}
