import Crypto
import Foundation
public import Models

/// Whether a key of a genuine device signed one of the expected client data hashes (App Attest). The counter is left to the caller.
public enum AssertionVerdict: Sendable, Equatable {
    /// `candidate` is the index of the client data hash that the signature covers.
    case verified(VerifiedAssertion, candidate: Int)
    case rejected(AssertionFailure)
}

/// The first check that failed. The cases are in the order of the checks; the caller makes the last one, of the counter, which only a good
/// signature may change.
public enum AssertionFailure: Error, Sendable {
    case malformedCBOR, malformedObject, malformedAuthData, keyType, badSignature, appIDMismatch, counterReplay

    /// Why the hardware check fails by it.
    public var reason: HardwareReason {
        switch self {
        case .malformedCBOR: .malformedCBOR
        case .malformedObject: .malformedObject
        case .malformedAuthData: .malformedAuthData
        case .keyType: .keyType
        case .badSignature: .badSignature
        case .appIDMismatch: .appIDMismatch
        case .counterReplay: .counterReplay
        }
    }
}

/// An assertion whose signature and app id are right. The caller has to check the counter.
public struct VerifiedAssertion: Sendable, Equatable {
    public let counter: UInt32
    public let appID: String
    public let extensions: AttestationExtensions
}

/// A well-formed assertion; nothing in it is verified yet.
public struct SubmittedAssertion: Sendable {
    /// Genuine ones have at most 260 bytes.
    public static let maximumBytes = 2048
    let signature: ArraySlice<UInt8>
    let authenticatorData: ArraySlice<UInt8>
    let head: AuthenticatorData
    let extensions: AttestationExtensions

    public init(_ bytes: [UInt8]) throws(AssertionFailure) {
        guard bytes.count <= Self.maximumBytes else { throw .malformedObject }
        guard let item = try? CBOR.decode(bytes[...]) else { throw .malformedCBOR }
        guard case .map(let fields) = item, fields.count == 2, let signature = fields[.text("signature")]?.byteString,
            let data = fields[.text("authenticatorData")]?.byteString
        else { throw .malformedObject }
        guard let head = AuthenticatorData(data) else { throw .malformedAuthData }
        if head.rest.isEmpty {
            extensions = AttestationExtensions()
        } else {
            // Assertions have the AT flag although no credential follows: the rest has to be exactly one map.
            guard let map = try? CBOR.decode(head.rest), let parsed = AttestationExtensions(map) else {
                throw .malformedAuthData
            }
            extensions = parsed
        }
        self.signature = signature
        self.authenticatorData = data
        self.head = head
    }
}

/// Appraises App Attest assertions with a stored public key.
public struct AssertionAppraiser: Sendable {
    private let appIDs: [(appID: String, hash: [UInt8])]

    public init(appIDs: [String]) {
        self.appIDs = appIDs.map { ($0, Array(SHA256.hash(data: Array($0.utf8)))) }
    }

    /// For an app of which only the hash is known.
    init(appHash: [UInt8]) { appIDs = [("", appHash)] }

    /// - Parameter publicKeyX963: 65 bytes, from the attestation.
    public func appraise(_ assertion: [UInt8], publicKeyX963: [UInt8], clientDataHash: [UInt8]) -> AssertionVerdict {
        appraise(assertion, publicKeyX963: publicKeyX963, candidates: [clientDataHash])
    }

    /// Tries several client data hashes in order, until the signature verifies over one.
    public func appraise(_ assertion: [UInt8], publicKeyX963: [UInt8], candidates: [[UInt8]]) -> AssertionVerdict {
        do {
            let submitted = try SubmittedAssertion(assertion)
            guard let key = try? P256.Signing.PublicKey(x963Representation: publicKeyX963) else { throw AssertionFailure.keyType }
            guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: submitted.signature),
                let candidate = candidates.firstIndex(where: { Self.isValid(signature, submitted, key, clientDataHash: $0) })
            else { throw AssertionFailure.badSignature }
            guard let app = appIDs.first(where: { $0.hash.elementsEqual(submitted.head.rpIDHash) }) else {
                throw AssertionFailure.appIDMismatch
            }
            let verified = VerifiedAssertion(
                counter: submitted.head.counter, appID: app.appID, extensions: submitted.extensions)
            return .verified(verified, candidate: candidate)
        } catch let failure as AssertionFailure {
            return .rejected(failure)
        } catch {
            return .rejected(.malformedObject)
        }
    }

    /// The nonce is ECDSA's message, so ECDSA hashes it once more.
    private static func isValid(
        _ signature: P256.Signing.ECDSASignature, _ submitted: SubmittedAssertion, _ key: P256.Signing.PublicKey,
        clientDataHash: [UInt8]
    ) -> Bool {
        var hasher = SHA256()
        hasher.update(data: submitted.authenticatorData)
        hasher.update(data: clientDataHash)
        return key.isValidSignature(signature, for: Data(hasher.finalize()))
    }
}
