public import CaptureKit
import CaptureProtocol
import CryptoKit
import Foundation
import Security

/// Request keys in the Secure Enclave: P-256, usable from the first unlock after a restart on, on this device only.
public struct SecureEnclaveKeys: RequestKeyService {
    public init() {}

    public func generate() throws -> RequestKeyPair {
        let access = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, .privateKeyUsage, nil)
        guard let access else { throw SecureStoreError.failed("no access control for a key in the Secure Enclave") }
        let key = try SecureEnclave.P256.Signing.PrivateKey(compactRepresentable: false, accessControl: access)
        return RequestKeyPair(
            publicKey: RequestKey(algorithm: .p256, publicKey: Array(key.publicKey.x963Representation)),
            reference: Array(key.dataRepresentation))
    }

    public func signature(of message: [UInt8], with reference: [UInt8]) throws -> [UInt8] {
        let key = try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: Data(reference))
        return Array(try key.signature(for: Data(message)).derRepresentation)
    }
}
