public import CaptureProtocol
import Crypto
public import Foundation

/// The key that signs a device's requests; with `none` the attested key does.
public enum RequestKeyKind: String, Codable, Sendable, CaseIterable { case ed25519, p256, none }

/// A simulated device that uses the exact format of App Attest. Its JSON encoding contains its private keys, so such a file is secret.
public struct SimulatedDevice: Codable, Sendable {
    public static let developmentAppID = "ABCDE12345.app.rial.ios"
    /// Assigned by the server at registration.
    public var deviceID: String?
    public var model: String
    public var appID: String
    public var environment: String
    /// The counter of the latest assertion.
    public private(set) var counter: UInt32 = 0
    public let requestKeyKind: RequestKeyKind
    private let attestedKeyBytes: Data
    private let requestKeyBytes: Data?

    public init(
        model: String = "iPhone 15 Pro", requestKey: RequestKeyKind = .ed25519, appID: String = developmentAppID,
        environment: String = "development"
    ) {
        self.model = model
        self.appID = appID
        self.environment = environment
        requestKeyKind = requestKey
        attestedKeyBytes = P256.Signing.PrivateKey().rawRepresentation
        requestKeyBytes =
            switch requestKey {
            case .ed25519: Curve25519.Signing.PrivateKey().rawRepresentation
            case .p256: P256.Signing.PrivateKey().rawRepresentation
            case .none: nil
            }
    }

    /// SHA-256 of the attested key's X9.63 point.
    public var keyID: [UInt8] {
        get throws { Array(SHA256.hash(data: try attestedKey.publicKey.x963Representation)) }
    }

    /// 32 raw bytes for Ed25519, 65 bytes X9.63 for P-256; `nil` without a request key.
    public var requestPublicKey: [UInt8]? {
        get throws {
            guard let bytes = requestKeyBytes else { return nil }
            switch requestKeyKind {
            case .ed25519: return Array(try Curve25519.Signing.PrivateKey(rawRepresentation: bytes).publicKey.rawRepresentation)
            case .p256: return Array(try P256.Signing.PrivateKey(rawRepresentation: bytes).publicKey.x963Representation)
            case .none: return nil
            }
        }
    }

    var attestedKey: P256.Signing.PrivateKey {
        get throws { try P256.Signing.PrivateKey(rawRepresentation: attestedKeyBytes) }
    }

    /// An assertion over the client data hash, with the given or the next counter.
    public mutating func assertion(clientDataHash: [UInt8], counter given: UInt32? = nil, defect: Defect? = nil) throws -> [UInt8] {
        let value = given ?? (counter == .max ? counter : counter + 1)
        counter = max(counter, value)
        let app = defect == .assertionOfOtherApp ? appID + ".other" : appID
        let data = Array(SHA256.hash(data: Array(app.utf8))) + [0x40] + Self.bigEndian(value)
        let nonce = Data(SHA256.hash(data: data + clientDataHash))
        // The nonce is the message, so ECDSA hashes it once more.
        var signature = Array(try attestedKey.signature(for: nonce).derRepresentation)
        if defect == .badSignature { signature[signature.count - 1] ^= 1 }
        let object = CBORWriter.map([
            (CBORWriter.text("signature"), CBORWriter.bytes(signature)), (CBORWriter.text("authenticatorData"), CBORWriter.bytes(data)),
        ])
        return defect == .assertionTrailingCBOR ? object + [0] : object
    }

    /// The assertion of a capture, with the binding that our client uses: photo, depth and metadata.
    public mutating func captureAssertion(
        photoDigest: ContentDigest, depthDigest: ContentDigest, metadataDigest: ContentDigest, counter: UInt32? = nil, defect: Defect? = nil
    ) throws -> [UInt8] {
        let hash = CaptureClientData.hash(photo: photoDigest, depth: depthDigest, metadata: metadataDigest)
        return try assertion(clientDataHash: hash.bytes, counter: counter, defect: defect)
    }

    /// The request key's signature over a request's message; without a request key, an assertion over the message's SHA-256.
    public mutating func signature(of message: String, rawP256: Bool = false) throws -> [UInt8] {
        let bytes = Array(message.utf8)
        guard let key = requestKeyBytes else { return try assertion(clientDataHash: Array(SHA256.hash(data: bytes))) }
        switch requestKeyKind {
        case .p256:
            let signature = try P256.Signing.PrivateKey(rawRepresentation: key).signature(for: bytes)
            return Array(rawP256 ? signature.rawRepresentation : signature.derRepresentation)
        default: return Array(try Curve25519.Signing.PrivateKey(rawRepresentation: key).signature(for: bytes))
        }
    }

    /// The headers that authenticate a request (SPEC §2).
    /// - Parameters:
    ///   - path: with the query.
    ///   - version: 1 or 2.
    public mutating func requestHeaders(
        method: String, path: String, bodyDigest: ContentDigest, at time: Date = Date(), version: Int = 2, rawP256: Bool = false
    ) throws -> [(name: String, value: String)] {
        let timestamp = String(Int64((time.timeIntervalSince1970 * 1000).rounded()))
        let id = deviceID ?? ""
        let message = RequestMessage.text(
            version: version, method: method, target: path, timestamp: timestamp, deviceID: id, bodyDigest: bodyDigest)
        var headers = [
            (DeviceHeader.deviceID.rawValue, id), (DeviceHeader.timestamp.rawValue, timestamp),
            (DeviceHeader.signature.rawValue, Data(try signature(of: message, rawP256: rawP256)).base64EncodedString()),
        ]
        if version != 1 { headers.append((DeviceHeader.signatureVersion.rawValue, String(version))) }
        return headers.map { (name: $0.0, value: $0.1) }
    }

    static func bigEndian(_ value: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
}
