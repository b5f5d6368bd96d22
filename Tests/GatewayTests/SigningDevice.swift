import CaptureProtocol
import Crypto
import Foundation
import HTTPTypes

@testable import Gateway
@testable import SimulatedDevice

/// A simulated device as the gateway knows it, which signs what it sends.
struct SigningDevice {
    let known: KnownDevice
    let simulated: SimulatedDevice

    /// - Parameter isVerified: whether its key was attested.
    init(isVerified: Bool = true, isRevoked: Bool = false) throws {
        var device = SimulatedDevice()
        known = try KnownDevice(device, isVerified: isVerified, isRevoked: isRevoked)
        device.deviceID = known.id.description
        simulated = device
    }

    /// The fields that sign a `POST`.
    func signature(
        of body: ContentDigest, to path: String = APIPath.captures, at time: Date = Date(), version: Int = 2
    ) throws -> HTTPFields {
        var device = simulated
        var fields: HTTPFields = [:]
        for (name, value) in try device.requestHeaders(method: "POST", path: path, bodyDigest: body, at: time, version: version) {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        return fields
    }
}

extension KnownDevice {
    /// - Parameter isVerified: whether its key was attested.
    init(_ device: SimulatedDevice, isVerified: Bool = true, isRevoked: Bool = false) throws {
        let key: (RequestKey.Algorithm, [UInt8])? = try device.requestPublicKey.map {
            (device.requestKeyKind == .p256 ? .p256 : .ed25519, $0)
        }
        self.init(
            id: DeviceID(), requestKey: key, attestedKey: isVerified ? Array(try device.attestedKey.publicKey.x963Representation) : nil,
            appID: device.appID, isRevoked: isRevoked)
    }
}
