import CaptureProtocol

/// A well-formed attestation object; nothing in it is verified yet.
struct SubmittedAttestation: Sendable {
    /// Leaf and intermediate, DER.
    let certificates: [ArraySlice<UInt8>]
    let receipt: ArraySlice<UInt8>?
    /// As received: the nonce covers these bytes.
    let authenticatorData: ArraySlice<UInt8>
    let head: AuthenticatorData
    let credential: AttestedCredential

    init(_ bytes: [UInt8]) throws(AttestationFailure) {
        guard bytes.count <= SizeLimits.attestation else { throw .malformedObject }
        guard let item = try? CBOR.decode(bytes[...]) else { throw .malformedCBOR }
        guard case .map(let fields) = item, fields.count == 3, let format = fields[.text("fmt")]?.textString,
            case .map(let statement)? = fields[.text("attStmt")], let data = fields[.text("authData")]?.byteString
        else { throw .malformedObject }
        guard format == "apple-appattest" else { throw .badFormat }
        guard case .array(let chain)? = statement[.text("x5c")], chain.count == 2 else { throw .malformedObject }
        certificates = chain.compactMap(\.byteString)
        receipt = statement[.text("receipt")]?.byteString
        // One published object has no receipt. If there is one it is a byte string; no other fields are allowed.
        guard certificates.count == 2, statement.count == (receipt == nil ? 1 : 2) else { throw .malformedObject }
        guard let head = AuthenticatorData(data), let credential = AttestedCredential(head) else { throw .malformedAuthData }
        authenticatorData = data
        self.head = head
        self.credential = credential
    }
}
