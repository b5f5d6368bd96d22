import Crypto
public import Foundation
import SwiftASN1
@_spi(FixedExpiryValidationTime) import X509

/// The key, app and environment for which a receipt must be issued.
public struct ReceiptSubject: Sendable {
    public let appID: String
    public let publicKeyX963: [UInt8]
    public let environment: AppAttestEnvironment

    public init(appID: String, publicKeyX963: [UInt8], environment: AppAttestEnvironment) {
        self.appID = appID
        self.publicKeyX963 = publicKeyX963
        self.environment = environment
    }

    public init(_ attestation: VerifiedAttestation) {
        self.init(appID: attestation.appID, publicKeyX963: attestation.publicKeyX963, environment: attestation.environment)
    }
}

/// Whether Apple signed the receipt, for this key, and recently.
public enum ReceiptVerdict: Sendable, Equatable {
    case verified(Receipt)
    case rejected(ReceiptFailure)
}

/// Why a receipt is rejected. The attestation that carried it may still be valid: its nonce does not cover the receipt.
public enum ReceiptFailure: String, Error, Sendable, CaseIterable {
    /// Not CMS, not signed by Apple's receipt signer, or without the fields of a receipt.
    case invalid = "receipt_invalid"
    /// Signed, but for another key, app or environment.
    case mismatch = "receipt_mismatch"
    /// Signed, but created too long before it was received, or after that.
    case stale = "receipt_stale"
}

/// Appraises the CMS object (RFC 5652) in `attStmt.receipt`, independently of the attestation.
public struct ReceiptAppraiser: Sendable {
    /// Genuine receipts have 3,600 to 4,000 bytes.
    public static let maximumBytes = 65_536
    /// Identifies the certificates of Apple's receipt signer. Apple Root CA - G3 also issues certificates for keys of other parties.
    static let signerMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 12, 15]
    private let roots: [Certificate]

    /// Trusts Apple Root CA - G3, SHA-256 of its DER 63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179.
    public init() {
        do {
            roots = [try Certificate(pemEncoded: appleRootCAG3)]
        } catch {
            // The text is a constant of this file, and a test reads it: this cannot be reached by input.
            preconditionFailure("the compiled-in root does not parse: \(error)")
        }
    }

    /// Trusts only this certificate, for tests whose receipts Apple did not sign.
    init(rootPEM: String) throws { roots = [try Certificate(pemEncoded: rootPEM)] }

    /// - Parameters:
    ///   - time: of receipt, at which the certificates have to be valid.
    ///   - maximumAge: seconds since its creation; `nil` for a receipt that is appraised again later. Apple recommends five minutes for a
    ///     new one.
    public func appraise(_ receipt: [UInt8], of subject: ReceiptSubject, at time: Date, maximumAge: TimeInterval?) async -> ReceiptVerdict {
        guard receipt.count <= Self.maximumBytes, let signed = SignedData(receipt), let signer = signed.verifiedSigner(),
            signer.extensions[oid: Self.signerMarker] != nil, await isTrusted(signer, among: signed.certificates, at: time),
            let fields = Receipt(payload: signed.content), let certificate = try? Certificate(derEncoded: fields.certificate),
            let key = P256.Signing.PublicKey(certificate.publicKey)
        else { return .rejected(.invalid) }
        guard fields.appID == subject.appID, fields.environment == subject.environment,
            Array(key.x963Representation) == subject.publicKeyX963
        else {
            return .rejected(.mismatch)
        }
        if let maximumAge {
            let age = time.timeIntervalSince(fields.createdAt)
            guard age <= maximumAge, age >= -maximumAge else { return .rejected(.stale) }
        }
        return .verified(fields)
    }

    private func isTrusted(_ signer: Certificate, among certificates: [Certificate], at time: Date) async -> Bool {
        var verifier = Verifier(rootCertificates: CertificateStore(roots)) { RFC5280Policy(fixedExpiryValidationTime: time) }
        let result = await verifier.validate(leaf: signer, intermediates: CertificateStore(certificates))
        if case .validCertificate = result { return true }
        return false
    }
}

private let appleRootCAG3 = """
    -----BEGIN CERTIFICATE-----
    MIICQzCCAcmgAwIBAgIILcX8iNLFS5UwCgYIKoZIzj0EAwMwZzEbMBkGA1UEAwwS
    QXBwbGUgUm9vdCBDQSAtIEczMSYwJAYDVQQLDB1BcHBsZSBDZXJ0aWZpY2F0aW9u
    IEF1dGhvcml0eTETMBEGA1UECgwKQXBwbGUgSW5jLjELMAkGA1UEBhMCVVMwHhcN
    MTQwNDMwMTgxOTA2WhcNMzkwNDMwMTgxOTA2WjBnMRswGQYDVQQDDBJBcHBsZSBS
    b290IENBIC0gRzMxJjAkBgNVBAsMHUFwcGxlIENlcnRpZmljYXRpb24gQXV0aG9y
    aXR5MRMwEQYDVQQKDApBcHBsZSBJbmMuMQswCQYDVQQGEwJVUzB2MBAGByqGSM49
    AgEGBSuBBAAiA2IABJjpLz1AcqTtkyJygRMc3RCV8cWjTnHcFBbZDuWmBSp3ZHtf
    TjjTuxxEtX/1H7YyYl3J6YRbTzBPEVoA/VhYDKX1DyxNB0cTddqXl5dvMVztK517
    IDvYuVTZXpmkOlEKMaNCMEAwHQYDVR0OBBYEFLuw3qFYM4iapIqZ3r6966/ayySr
    MA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgEGMAoGCCqGSM49BAMDA2gA
    MGUCMQCD6cHEFl4aXTQY2e3v9GwOAEZLuN+yRhHFD/3meoyhpmvOwgPUnPWTxnS4
    at+qIxUCMG1mihDK1A3UT82NQz60imOlM27jbdoXt2QfyFMm+YhidDkLF1vLUagM
    6BgD56KyKA==
    -----END CERTIFICATE-----
    """
