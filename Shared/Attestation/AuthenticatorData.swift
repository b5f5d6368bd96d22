/// The fixed head of authenticator data (WebAuthn §6.1): RP id hash, flags, counter.
struct AuthenticatorData: Sendable {
    static let headBytes = 37
    let rpIDHash: ArraySlice<UInt8>
    let flags: UInt8
    let counter: UInt32
    /// The bytes after the head.
    let rest: ArraySlice<UInt8>

    /// `nil` with fewer than 37 bytes.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count >= Self.headBytes else { return nil }
        let start = bytes.startIndex
        rpIDHash = bytes[start..<start + 32]
        flags = bytes[start + 32]
        counter = bytes[start + 33..<start + 37].reduce(0) { $0 << 8 | UInt32($1) }
        rest = bytes[(start + 37)...]
    }
}

/// The attested credential data of an attestation (WebAuthn §6.5.2), and the extension map of newer systems.
struct AttestedCredential: Sendable {
    static let attestedFlag: UInt8 = 0x40
    let aaguid: ArraySlice<UInt8>
    let credentialID: ArraySlice<UInt8>
    /// X9.63 uncompressed, from the COSE key.
    let publicKeyX963: [UInt8]
    let extensions: AttestationExtensions

    /// Bytes after the COSE key are parsed as extensions whatever the ED flag says, since it is not reliable: iOS 27.0 adds a map and
    /// leaves the flag clear.
    init?(_ data: AuthenticatorData) {
        let bytes = data.rest
        guard data.flags & Self.attestedFlag != 0, bytes.count >= 18 + 32 else { return nil }
        let start = bytes.startIndex
        guard bytes[start + 16] == 0, bytes[start + 17] == 32 else { return nil }
        aaguid = bytes[start..<start + 16]
        credentialID = bytes[start + 18..<start + 50]
        var reader = CBORReader(bytes[(start + 50)...])
        guard let key = try? reader.item(), let point = Self.point(of: key) else { return nil }
        publicKeyX963 = point
        if reader.isAtEnd {
            extensions = AttestationExtensions()
        } else {
            guard let map = try? reader.item(), reader.isAtEnd, let parsed = AttestationExtensions(map) else { return nil }
            extensions = parsed
        }
    }

    /// kty 2 (EC2), alg -7 (ES256), crv 1 (P-256), and two coordinates (RFC 9053 §7.1).
    private static func point(of key: CBOR) -> [UInt8]? {
        guard case .map(let fields) = key, fields[.unsigned(1)] == .unsigned(2), fields[.unsigned(3)] == .negative(6),
            fields[.negative(0)] == .unsigned(1), let x = fields[.negative(1)]?.byteString, x.count == 32,
            let y = fields[.negative(2)]?.byteString, y.count == 32
        else { return nil }
        return [4] + x + y
    }
}

/// The map that iOS 27 and later add; absent on older systems. Unknown keys are allowed.
public struct AttestationExtensions: Sendable, Equatable {
    /// 1 operating system, 2 TestFlight, 3 development, 4 App Store, 5 enterprise or ad hoc, 6 Developer ID, 10 other.
    public var validationCategory: UInt32?
    public var bundleVersion: String?

    public init(validationCategory: UInt32? = nil, bundleVersion: String? = nil) {
        self.validationCategory = validationCategory
        self.bundleVersion = bundleVersion
    }

    /// `nil` if the item is not a map.
    init?(_ item: CBOR) {
        guard case .map = item else { return nil }
        if let category = item["apple_validation_category_01"]?.byteString, category.count == 4 {
            validationCategory = category.reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }
        bundleVersion = item["apple_bundle_version_01"]?.textString
    }
}
