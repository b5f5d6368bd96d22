public import CaptureProtocol
import Crypto
import Foundation

/// Request keys in software, for machines without a Secure Enclave. The reference is the private key itself.
public struct SoftwareRequestKeyService: RequestKeyService {
    private let algorithm: RequestKey.Algorithm

    /// - Parameter algorithm: of the keys that ``generate()`` makes; keys of either algorithm sign.
    public init(_ algorithm: RequestKey.Algorithm = .p256) { self.algorithm = algorithm }

    /// The reference is not a key of this service.
    public struct UnknownKey: Error, Sendable, Equatable {}

    public func generate() -> RequestKeyPair {
        switch algorithm {
        case .ed25519:
            let key = Curve25519.Signing.PrivateKey()
            return pair(Array(key.publicKey.rawRepresentation), key.rawRepresentation)
        case .p256:
            let key = P256.Signing.PrivateKey()
            return pair(Array(key.publicKey.x963Representation), key.rawRepresentation)
        }
    }

    /// - Throws: ``UnknownKey``.
    public func signature(of message: [UInt8], with reference: [UInt8]) throws -> [UInt8] {
        let key = reference.dropFirst()
        switch reference.first {
        case Self.tag(.ed25519):
            guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: key) else { throw UnknownKey() }
            return Array(try key.signature(for: message))
        case Self.tag(.p256):
            guard let key = try? P256.Signing.PrivateKey(rawRepresentation: key) else { throw UnknownKey() }
            return Array(try key.signature(for: message).derRepresentation)
        default: throw UnknownKey()
        }
    }

    private func pair(_ publicKey: [UInt8], _ privateKey: Data) -> RequestKeyPair {
        RequestKeyPair(
            publicKey: RequestKey(algorithm: algorithm, publicKey: publicKey), reference: [Self.tag(algorithm)] + Array(privateKey))
    }

    /// The first byte of a reference, since private keys of both algorithms have 32 bytes.
    private static func tag(_ algorithm: RequestKey.Algorithm) -> UInt8 {
        switch algorithm {
        case .ed25519: 1
        case .p256: 2
        }
    }
}
