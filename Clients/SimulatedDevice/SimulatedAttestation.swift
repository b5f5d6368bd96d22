import CaptureProtocol
import Crypto
public import Foundation
import X509

/// The data that a device sends to register.
public struct SimulatedAttestation: Sendable {
    public let keyID: [UInt8]
    /// CBOR.
    public let attestationObject: [UInt8]
}

extension SimulatedDevice {
    /// Attests the device's key for a challenge.
    ///
    /// The receipt is 64 random bytes: only Apple can make one, and the attestation does not cover it.
    public func attestation(
        challenge: [UInt8], authority: DevelopmentAttestationAuthority, at time: Date = Date(), defect: Defect? = nil
    ) throws -> SimulatedAttestation {
        let hash = RegistrationClientData.hash(challenge: challenge, requestKey: try requestPublicKey).bytes
        return try attestation(
            clientDataHash: defect == .wrongChallenge ? hash.reversed() : hash, authority: authority, at: time, defect: defect)
    }

    /// Attests the device's key over a client data hash.
    public func attestation(
        clientDataHash: [UInt8], authority: DevelopmentAttestationAuthority, at time: Date, defect: Defect? = nil
    ) throws -> SimulatedAttestation {
        let key = try attestedKey.publicKey
        let keyID = try self.keyID
        let data = try authenticatorData(key: key, keyID: keyID, defect: defect)
        let nonce = Array(SHA256.hash(data: data + clientDataHash))
        let certificates = try chain(key, nonce: nonce, authority: authority, at: time, defect: defect)
        let statement = CBORWriter.map([
            (CBORWriter.text("x5c"), CBORWriter.array(certificates.map(CBORWriter.bytes))),
            (CBORWriter.text("receipt"), CBORWriter.bytes(.random(64))),
        ])
        let object = CBORWriter.map([
            (CBORWriter.text("fmt"), CBORWriter.text(defect == .wrongFormat ? "packed" : "apple-appattest")),
            (CBORWriter.text("attStmt"), statement), (CBORWriter.text("authData"), CBORWriter.bytes(data)),
        ])
        return SimulatedAttestation(
            keyID: defect == .wrongKeyID ? keyID.reversed() : keyID,
            attestationObject: defect == .trailingCBOR ? object + [0] : object)
    }

    private func authenticatorData(key: P256.Signing.PublicKey, keyID: [UInt8], defect: Defect?) throws -> [UInt8] {
        let app = defect == .wrongAppID ? appID + ".other" : appID
        let isProduction = (environment == "production") != (defect == .wrongEnvironment)
        let aaguid = isProduction ? Array("appattest".utf8) + [UInt8](repeating: 0, count: 7) : Array("appattestdevelop".utf8)
        let point = Array((defect == .otherCOSEKey ? P256.Signing.PrivateKey().publicKey : key).x963Representation)
        let cose = CBORWriter.map([
            (CBORWriter.integer(1), CBORWriter.integer(2)), (CBORWriter.integer(3), CBORWriter.integer(-7)),
            (CBORWriter.integer(-1), CBORWriter.integer(1)), (CBORWriter.integer(-2), CBORWriter.bytes(Array(point[1...32]))),
            (CBORWriter.integer(-3), CBORWriter.bytes(Array(point[33...64]))),
        ])
        let head = Array(SHA256.hash(data: Array(app.utf8))) + [0x40] + Self.bigEndian(defect == .nonzeroCounter ? 1 : 0)
        let credential = defect == .wrongCredentialID ? keyID.reversed() : keyID
        let data = head + aaguid + [0, 32] + credential + cose
        return defect == .truncatedAuthData ? Array(data.dropLast(10)) : data
    }

    private func chain(
        _ key: P256.Signing.PublicKey, nonce: [UInt8], authority: DevelopmentAttestationAuthority, at time: Date, defect: Defect?
    ) throws -> [[UInt8]] {
        let authority = defect == .otherRoot ? try DevelopmentAttestationAuthority(at: time) : authority
        let start: TimeInterval = defect == .expiredLeaf ? -4 * 86_400 : defect == .futureLeaf ? 86_400 : -3600
        let leaf = try authority.leaf(
            key, nonce: defect == .missingNonce ? nil : nonce, validFrom: time.addingTimeInterval(start),
            to: time.addingTimeInterval(start + 3 * 86_400), isAuthority: defect == .leafIsAuthority,
            signedBy: defect == .leafSignedByOther ? P384.Signing.PrivateKey() : nil)
        return defect == .missingIntermediate ? [try leaf.der] : [try leaf.der, try authority.intermediate.der]
    }
}
