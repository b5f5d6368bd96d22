import CaptureKit
public import CaptureProtocol
import Models
import NIOHTTP1

extension APIClient {
    /// A new challenge, for one registration.
    public func challenge() async throws -> RegistrationChallenge {
        let data = try await retries.run { try await call(.GET, APIPath.challenge) }
        return try decode(RegistrationChallenge.self, from: data)
    }

    /// Registers a device. If a response is lost, the retry sends the same bytes and gets the first outcome.
    public func register(_ registration: DeviceRegistration) async throws -> RegistrationResult {
        let bytes = try WireJSON.encode(registration)
        let data = try await retries.run {
            try await call(
                .POST, APIPath.registration, headers: [("content-type", "application/json")], body: BytesBody(bytes))
        }
        return try decode(RegistrationResult.self, from: data)
    }
}
