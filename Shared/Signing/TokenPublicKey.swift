import CPKCS11
import Crypto
public import Secrets
public import X509

extension PKCS11Signer {
    /// Reads the public half of a token's key, so that a certificate can be issued for it.
    /// - Throws: ``SigningError``, as ``init(module:tokenLabel:pin:keyLabel:certificatesPEM:at:)`` does.
    public static func publicKey(module: String, tokenLabel: String, pin: Secret<String>, keyLabel: String) throws(SigningError)
        -> Certificate.PublicKey
    {
        let module = try PKCS11Module.load(module)
        let address = TokenAddress(tokenLabel: tokenLabel, pin: pin, keyLabel: keyLabel)
        do throws(TokenProblem) {
            do throws(TokenProblem) {
                return try module.run(renewing: false) { library throws(TokenProblem) in try TokenPublicKey.read(address, in: library) }
            } catch {
                guard error.mayPass else { throw error }
                return try module.run(renewing: true) { library throws(TokenProblem) in try TokenPublicKey.read(address, in: library) }
            }
        } catch {
            throw error.atStart
        }
    }
}

/// The public key object with the same label as a private key.
enum TokenPublicKey {
    static func read(_ address: TokenAddress, in library: PKCS11Module.Library) throws(TokenProblem) -> Certificate.PublicKey {
        let session = try TokenSession.logIn(address, in: library)
        defer { _ = library.functions.pointee.C_CloseSession?(session) }
        let search = KeySearch(session: session, library: library)
        let point = try search.attribute(CKA_EC_POINT, of: search.object(CKO_PUBLIC_KEY, labelled: address.keyLabel))
        guard let key = parse(point) else { throw .unfit("the public key \"\(address.keyLabel)\" is neither Ed25519 nor P-256") }
        return key
    }

    /// CKA_EC_POINT is an OCTET STRING (PKCS #11 v2.40 §2.3.3), a BIT STRING on some tokens for Edwards curves, or the bare point.
    static func parse(_ point: [UInt8]) -> Certificate.PublicKey? {
        let bare: ArraySlice<UInt8> =
            switch (point.count, point.first) {
            case (34, 0x04), (67, 0x04): point.dropFirst(2)
            case (35, 0x03), (68, 0x03): point.dropFirst(3)
            default: point[...]
            }
        if bare.count == 32, let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bare) { return Certificate.PublicKey(key) }
        if bare.count == 65, let key = try? P256.Signing.PublicKey(x963Representation: bare) { return Certificate.PublicKey(key) }
        return nil
    }
}
