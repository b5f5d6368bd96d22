import CaptureProtocol

extension DeviceIdentity {
    /// The body of `POST /api/v1/devices/register`: JSON.
    func registrationBody(of device: any DeviceInfo, attestation: DeviceRegistration.Attestation) throws -> [UInt8] {
        try WireJSON.encode(
            DeviceRegistration(
                model: device.hardwareIdentifier, hasLiDAR: device.hasLiDAR, osVersion: device.systemVersion, attestation: attestation,
                requestKey: requestKey))
    }
}
