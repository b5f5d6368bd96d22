import CaptureProtocol
import SimulatedDevice

/// A registered simulated device as stored between commands, including its private keys.
struct DeviceState: Codable, Sendable {
    let deviceID: DeviceID
    let attestationLevel: AttestationLevel
    /// The class of the failure, if the attestation did not verify.
    let attestationFailure: String?
    let hasLiDAR: Bool
    var device: SimulatedDevice

    enum CodingKeys: String, CodingKey {
        case deviceID = "device_id"
        case attestationLevel = "attestation_level"
        case attestationFailure = "attestation_failure"
        case hasLiDAR = "has_lidar"
        case device
    }
}
