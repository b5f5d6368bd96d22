import CaptureProtocol
import Foundation
import RialClient
import SimulatedDevice

/// Creates a simulated device and registers it.
struct Enrolment {
    static let defaultModel = "iPhone 15 Pro"

    let client: APIClient
    /// Signs the attestation.
    let authority: DevelopmentAttestationAuthority
    let appID: String
    let environment: String
    var hasLiDAR = true
    var requestKey: RequestKeyKind = .ed25519
    /// A deliberate error in the attestation.
    var defect: Defect?

    func run(model: String) async throws -> DeviceState {
        let challenge = try await client.challenge().challenge.bytes
        var device = SimulatedDevice(model: model, requestKey: requestKey, appID: appID, environment: environment)
        let attestation = try device.attestation(challenge: challenge, authority: authority, defect: defect)
        let publicKey = try device.requestPublicKey
        let registration = DeviceRegistration(
            model: model, hasLiDAR: hasLiDAR, osVersion: "18.1",
            attestation: .init(keyID: attestation.keyID, attestationObject: attestation.attestationObject, challenge: challenge),
            requestKey: publicKey.map { RequestKey(algorithm: requestKey == .p256 ? .p256 : .ed25519, publicKey: $0) })
        let registered = try await client.register(registration)
        device.deviceID = registered.deviceID.description
        return DeviceState(
            deviceID: registered.deviceID, attestationLevel: registered.attestationLevel,
            attestationFailure: registered.attestationFailure, hasLiDAR: registered.hasLiDAR, device: device)
    }
}
