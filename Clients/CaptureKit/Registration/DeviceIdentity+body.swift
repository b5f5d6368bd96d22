import CaptureProtocol
import Foundation

extension DeviceIdentity {
    /// The body of `POST /api/v1/devices/register`: JSON.
    func registrationBody(of device: any DeviceInfo, attestation: DeviceRegistration.Attestation) throws -> [UInt8] {
        let registration = DeviceRegistration(
            model: device.hardwareIdentifier, hasLiDAR: device.hasLiDAR, osVersion: device.systemVersion, attestation: attestation,
            requestKey: requestKey)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(registration))
    }
}
