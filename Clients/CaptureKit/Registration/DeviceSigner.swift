public import CaptureProtocol
public import Foundation

/// Signs requests with the request key of a registered identity.
public struct DeviceSigner: RequestSigner {
    public let deviceID: DeviceID
    private let reference: [UInt8]
    private let keys: any RequestKeyService

    /// - Returns: `nil` while the identity is not registered.
    public init?(_ identity: DeviceIdentity, keys: any RequestKeyService) {
        guard let deviceID = identity.deviceID else { return nil }
        self.deviceID = deviceID
        self.keys = keys
        reference = identity.requestKeyReference.bytes
    }

    public func headers(method: String, target: String, bodyDigest: ContentDigest, at time: Date) throws -> [(name: String, value: String)]
    {
        let timestamp = Self.milliseconds(time)
        let message = RequestMessage.text(
            version: 2, method: method, target: target, timestamp: timestamp, deviceID: deviceID.description, bodyDigest: bodyDigest)
        let signature = try keys.signature(of: Array(message.utf8), with: reference)
        return [
            (DeviceHeader.deviceID.rawValue, deviceID.description), (DeviceHeader.timestamp.rawValue, timestamp),
            (DeviceHeader.signature.rawValue, Base64.encode(signature)), (DeviceHeader.signatureVersion.rawValue, "2"),
        ]
    }

    /// Unix time in milliseconds: digits, 15 at most, which is what the server reads.
    private static func milliseconds(_ time: Date) -> String {
        String(Int64(min(max(0, (time.timeIntervalSince1970 * 1000).rounded()), 999_999_999_999_999)))
    }
}
