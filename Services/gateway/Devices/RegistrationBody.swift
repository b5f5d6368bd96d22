import CaptureProtocol
import Crypto
import Foundation

/// The body of `POST /api/v1/devices/register`, checked field by field.
struct RegistrationBody: Sendable {
    let model: String
    let hasLiDAR: Bool
    let osVersion: String?
    let keyID: [UInt8]
    let attestationObject: [UInt8]
    let challenge: [UInt8]
    let requestKey: RequestKey?

    /// - Throws: ``RegistrationError``.
    init(_ bytes: [UInt8]) throws {
        try Self.checkForm(bytes)
        let sent: DeviceRegistration
        do {
            sent = try JSONDecoder().decode(DeviceRegistration.self, from: Data(bytes))
        } catch let error as DecodingError {
            throw Self.error(error)
        }
        guard sent.platform == DeviceRegistration.iOS else {
            throw RegistrationError.unsupportedPlatform
        }
        model = try Self.text(sent.model, "model")
        hasLiDAR = sent.hasLiDAR
        osVersion = try sent.osVersion.map { try Self.text($0, "os_version") }
        keyID = try Self.bytes(sent.attestation.keyID, "attestation.key_id", 32...32)
        attestationObject = try Self.bytes(
            sent.attestation.attestationObject, "attestation.attestation_object", 1...SizeLimits.attestation)
        challenge = try Self.bytes(sent.attestation.challenge, "attestation.challenge", 32...32)
        requestKey = try sent.requestKey.map { try Self.key($0) }
    }

    /// The hash that the attestation must cover; it includes the request key.
    var clientDataHash: ContentDigest { RegistrationClientData.hash(challenge: challenge, requestKey: requestKey?.publicKey.bytes) }

    /// Foundation's reader bounds neither nesting nor what it costs to compare names and texts.
    private static func checkForm(_ bytes: [UInt8]) throws {
        do throws(StrictJSON.Failure) {
            _ = try StrictJSON(bytes)
        } catch {
            let problem =
                switch error {
                case .malformed: "is not JSON"
                case .tooDeep: "is nested too deep"
                case .duplicateName: "has a name twice"
                }
            throw RegistrationError.invalid(field: "body", problem: problem)
        }
    }

    private static func key(_ sent: DeviceRegistration.Key) throws -> RequestKey {
        guard let algorithm = RequestKey.Algorithm(rawValue: sent.algorithm) else {
            throw RegistrationError.invalid(field: "request_key.algorithm", problem: "must be ed25519 or p256")
        }
        let size = algorithm == .ed25519 ? 32 : 65
        let bytes = try bytes(sent.publicKey, "request_key.public_key", size...size)
        let isKey =
            switch algorithm {
            case .ed25519: (try? Curve25519.Signing.PublicKey(rawRepresentation: bytes)) != nil
            case .p256: (try? P256.Signing.PublicKey(x963Representation: bytes)) != nil
            }
        guard isKey else { throw RegistrationError.invalid(field: "request_key.public_key", problem: "is not a key of this algorithm") }
        return RequestKey(algorithm: algorithm, publicKey: bytes)
    }

    private static func bytes(_ text: String, _ field: String, _ sizes: ClosedRange<Int>) throws -> [UInt8] {
        guard let bytes = Base64.decode(text) else { throw RegistrationError.invalid(field: field, problem: "is not base64") }
        guard sizes.contains(bytes.count) else {
            throw RegistrationError.invalid(
                field: field, problem: sizes.count == 1 ? "must be \(sizes.lowerBound) bytes" : "must be 1 to \(sizes.upperBound) bytes")
        }
        return bytes
    }

    private static func text(_ text: String, _ field: String) throws -> String {
        guard (1...100).contains(text.count), text.utf8.count <= 400,
            text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { throw RegistrationError.invalid(field: field, problem: "must have 1 to 100 characters and no control characters") }
        return text
    }

    private static func error(_ error: DecodingError) -> RegistrationError {
        switch error {
        case .keyNotFound(let key, let context): .invalid(field: path(context.codingPath + [key]), problem: "is missing")
        case .typeMismatch(_, let context): .invalid(field: path(context.codingPath), problem: "has the wrong type")
        case .valueNotFound(_, let context): .invalid(field: path(context.codingPath), problem: "must not be null")
        default: .invalid(field: "body", problem: "is not JSON")
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.isEmpty ? "body" : keys.map(\.stringValue).joined(separator: ".")
    }
}
