import CaptureProtocol
import Crypto
import Foundation
import HTTPTypes

/// The four headers that authenticate a device's request (SPEC §2), parsed but not verified.
struct SignatureHeaders: Sendable {
    static let names: [HTTPField.Name] = [.deviceID, .deviceTimestamp, .deviceSignature, .deviceSignatureVersion]
    let deviceID: String
    let timestamp: String
    let signature: String
    let version: String

    /// - Throws: ``AuthenticationError/missingHeaders(_:)``.
    init(_ fields: HTTPFields) throws(AuthenticationError) {
        let required: [HTTPField.Name] = [.deviceID, .deviceTimestamp, .deviceSignature]
        let missing = required.filter { (fields[$0] ?? "").isEmpty }
        guard missing.isEmpty, let deviceID = fields[.deviceID], let timestamp = fields[.deviceTimestamp],
            let signature = fields[.deviceSignature]
        else { throw .missingHeaders(missing.map(\.rawName)) }
        self.deviceID = deviceID
        self.timestamp = timestamp
        self.signature = signature
        version = fields[.deviceSignatureVersion] ?? "1"
    }

    static func isAny(in fields: HTTPFields) -> Bool { names.contains { fields[$0] != nil } }

    /// What a response says to caches whose content may depend on who signed the request.
    /// - Parameter reader: who signed it; `nil` for nobody.
    static func responseFields(to reader: DeviceID?) -> HTTPFields {
        [.cacheControl: reader == nil ? "no-cache" : "private, no-store", .vary: names.map(\.rawName).joined(separator: ", ")]
    }
}

/// Checks the time at which a request claims to have been signed.
enum RequestTimestamp {
    static let windowMilliseconds: Int64 = 5 * 60 * 1000

    /// Milliseconds since 1970, as 1 to 15 digits.
    static func isCurrent(_ text: String, at now: Date) -> Bool {
        guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let sent = Int64(text) else {
            return false
        }
        return abs(Int64((now.timeIntervalSince1970 * 1000).rounded()) - sent) <= windowMilliseconds
    }
}

/// Verifies a signature with the device's request key, or else with its attested key.
enum RequestSignature {
    static func isValid(_ signature: [UInt8], of message: String, by device: KnownDevice) -> Bool {
        let bytes = Array(message.utf8)
        switch device.requestKey {
        case (.ed25519, let key)?:
            guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: key) else { return false }
            return key.isValidSignature(signature, for: bytes)
        case (.p256, let key)?:
            guard let key = try? P256.Signing.PublicKey(x963Representation: key),
                let parsed = signature.count == 64
                    ? try? P256.Signing.ECDSASignature(rawRepresentation: signature)
                    : try? P256.Signing.ECDSASignature(derRepresentation: signature)
            else { return false }
            return key.isValidSignature(parsed, for: bytes)
        case nil:
            return device.hasAsserted(ContentDigest(of: bytes), by: signature)
        }
    }
}
