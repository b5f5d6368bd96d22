// What the adapters use of CryptoKit and is not in swift-crypto: keys in the Secure Enclave.
public import Foundation
public import LocalAuthentication
public import Security

// iOS 13.0: https://developer.apple.com/documentation/cryptokit/secureenclave
public enum SecureEnclave {
    // iOS 13.0: https://developer.apple.com/documentation/cryptokit/secureenclave/p256
    public enum P256 {
        // iOS 13.0: https://developer.apple.com/documentation/cryptokit/secureenclave/p256/signing
        public enum Signing {
            // iOS 13.0: https://developer.apple.com/documentation/cryptokit/secureenclave/p256/signing/privatekey
            public struct PrivateKey {
                // iOS 13.0: https://developer.apple.com/documentation/cryptokit/secureenclave/p256/signing/privatekey/init(compactrepresentable:accesscontrol:authenticationcontext:)
                public init(compactRepresentable: Bool = true, accessControl: SecAccessControl, authenticationContext: LAContext? = nil)
                    throws
                {}
                // iOS 13.0: https://developer.apple.com/documentation/cryptokit/secureenclave/p256/signing/privatekey/init(datarepresentation:authenticationcontext:)
                public init(dataRepresentation: Data, authenticationContext: LAContext? = nil) throws {}
                // iOS 13.0: https://developer.apple.com/documentation/cryptokit/secureenclave/p256/signing/privatekey/datarepresentation
                public var dataRepresentation: Data { fatalError() }
                // iOS 13.0: https://developer.apple.com/documentation/cryptokit/secureenclave/p256/signing/privatekey/publickey
                public var publicKey: CryptoKit.P256.Signing.PublicKey { fatalError() }
                // iOS 13.0: https://developer.apple.com/documentation/cryptokit/secureenclave/p256/signing/privatekey/signature(for:)
                public func signature<D: DataProtocol>(for data: D) throws -> CryptoKit.P256.Signing.ECDSASignature { fatalError() }
            }
        }
    }
}

// iOS 13.0: https://developer.apple.com/documentation/cryptokit/p256
public enum P256 {
    // iOS 13.0: https://developer.apple.com/documentation/cryptokit/p256/signing
    public enum Signing {
        // iOS 13.0: https://developer.apple.com/documentation/cryptokit/p256/signing/publickey
        public struct PublicKey: Sendable {
            // iOS 13.0: https://developer.apple.com/documentation/cryptokit/p256/signing/publickey/x963representation
            public var x963Representation: Data { fatalError() }
        }
        // iOS 13.0: https://developer.apple.com/documentation/cryptokit/p256/signing/ecdsasignature
        public struct ECDSASignature: Sendable {
            // iOS 13.0: https://developer.apple.com/documentation/cryptokit/p256/signing/ecdsasignature/derrepresentation
            public var derRepresentation: Data { fatalError() }
        }
    }
}
