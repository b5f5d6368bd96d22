import CaptureProtocol
import Crypto
import Foundation

@testable import Attestation
@testable import SimulatedDevice

extension RegisteredDevice {
    /// A simulated device as it is known after its registration.
    init(
        _ device: SimulatedDevice, level: AttestationLevel = .secureEnclave, isRevoked: Bool = false, environment: String = "development"
    ) throws {
        self.init(
            level: level, isRevoked: isRevoked, publicKey: Array(try device.attestedKey.publicKey.x963Representation), appID: device.appID,
            environment: environment, isDevelopmentRoot: true, validationCategory: nil, bundleVersion: nil)
    }
}

extension CaptureAppraiser {
    /// Accepts simulated devices.
    static let test = CaptureAppraiser(
        policy: DevicePolicy(appIDs: [SimulatedDevice.developmentAppID], environment: .development, acceptsDevelopmentRoots: true))
}
