import NIOHTTP1
import AsyncHTTPClient
import Models

extension APIClient {
    /// A fresh challenge, good for one registration.
    public func challenge() async throws -> RegistrationChallenge {
        let data = try await retries.run { try await call(.GET, "/api/v1/devices/challenge") }
        return try decode(RegistrationChallenge.self, from: data)
    }

    /// Registers a device. A try whose answer is lost repeats the same bytes, which the server answers with the first outcome.
    public func register(_ registration: DeviceRegistration) async throws -> RegisteredDevice {
        let bytes = try WireJSON.encode(registration)
        let data = try await retries.run {
            try await call(
                .POST, "/api/v1/devices/register", headers: [("content-type", "application/json")], body: .bytes(bytes))
        }
        return try decode(RegisteredDevice.self, from: data)
    }
}
