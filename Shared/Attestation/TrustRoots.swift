import Foundation
import SwiftASN1
import X509

/// The certificates at which an attestation's chain may end.
public struct TrustRoots: Sendable {
    struct Root: Sendable {
        let certificate: Certificate
        let isDevelopment: Bool
    }
    let roots: [Root]

    /// Apple's App Attestation Root CA alone; SHA-256 of its DER 1cb9823ba28ba6ad2d33a006941de2ae4f513ef1d4e831b9f7e0fa7b6242c932.
    public static let apple: TrustRoots = {
        do {
            return TrustRoots(roots: [Root(certificate: try Certificate(pemEncoded: appleAppAttestationRootCA), isDevelopment: false)])
        } catch {
            // The text is a constant of this file, and a test reads it: this cannot be reached by input.
            preconditionFailure("the compiled-in root does not parse: \(error)")
        }
    }()

    /// These roots and every certificate of the PEM text, marked as development roots.
    /// - Throws: if the text holds no certificate or a malformed one.
    public func adding(pem: String) throws -> TrustRoots {
        let begin = "-----BEGIN CERTIFICATE-----"
        let blocks = pem.components(separatedBy: begin).dropFirst()
        guard !blocks.isEmpty else { throw TrustRootsError.noCertificate }
        let added = try blocks.map { Root(certificate: try Certificate(pemEncoded: begin + $0), isDevelopment: true) }
        return TrustRoots(roots: roots + added)
    }

    /// Only these certificates, without Apple's, for test vectors with another anchor.
    static func only(pem: String) throws -> TrustRoots { try TrustRoots(roots: []).adding(pem: pem) }
}

/// Why roots cannot be added; a malformed certificate is an error of X509.
public enum TrustRootsError: Error { case noCertificate }

private let appleAppAttestationRootCA = """
    -----BEGIN CERTIFICATE-----
    MIICITCCAaegAwIBAgIQC/O+DvHN0uD7jG5yH2IXmDAKBggqhkjOPQQDAzBSMSYw
    JAYDVQQDDB1BcHBsZSBBcHAgQXR0ZXN0YXRpb24gUm9vdCBDQTETMBEGA1UECgwK
    QXBwbGUgSW5jLjETMBEGA1UECAwKQ2FsaWZvcm5pYTAeFw0yMDAzMTgxODMyNTNa
    Fw00NTAzMTUwMDAwMDBaMFIxJjAkBgNVBAMMHUFwcGxlIEFwcCBBdHRlc3RhdGlv
    biBSb290IENBMRMwEQYDVQQKDApBcHBsZSBJbmMuMRMwEQYDVQQIDApDYWxpZm9y
    bmlhMHYwEAYHKoZIzj0CAQYFK4EEACIDYgAERTHhmLW07ATaFQIEVwTtT4dyctdh
    NbJhFs/Ii2FdCgAHGbpphY3+d8qjuDngIN3WVhQUBHAoMeQ/cLiP1sOUtgjqK9au
    Yen1mMEvRq9Sk3Jm5X8U62H+xTD3FE9TgS41o0IwQDAPBgNVHRMBAf8EBTADAQH/
    MB0GA1UdDgQWBBSskRBTM72+aEH/pwyp5frq5eWKoTAOBgNVHQ8BAf8EBAMCAQYw
    CgYIKoZIzj0EAwMDaAAwZQIwQgFGnByvsiVbpTKwSga0kP0e8EeDS4+sQmTvb7vn
    53O5+FRXgeLhpJ06ysC5PrOyAjEAp5U4xDgEgllF7En3VcE3iexZZtKeYnpqtijV
    oyFraWVIyd/dganmrduC1bmTBGwD
    -----END CERTIFICATE-----
    """
