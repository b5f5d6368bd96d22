import Foundation
import TestSupport

@testable import Attestation

/// Genuine objects and modified copies, as described in `data/appattest/README.md`.
struct Vectors: Decodable {
    let attestations: [AttestationVector]
    let assertions: [AssertionVector]
    let receipts: [ReceiptVector]

    static func load() throws -> Vectors {
        try decoder.decode(Vectors.self, from: SharedData.data("appattest/vectors.json"))
    }

    static let decoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let text = try decoder.singleValueContainer().decode(String.self)
            let date =
                (try? Date(text, strategy: .iso8601))
                ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
            guard let date else { throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: text)) }
            return date
        }
        return decoder
    }()
}

struct AttestationVector: Decodable {
    struct Expected: Decodable {
        let publicKeyX963: Data
        let receiptLength: Int?
    }
    let id: String
    let attestationObject: Data
    let keyId: Data
    let appId: String
    let environment: String
    let clientDataHash: Data
    let validAt: Date
    let trustAnchor: String
    let expected: Expected
}

struct AssertionVector: Decodable {
    struct Expected: Decodable { let counter: UInt32 }
    let id: String
    let assertion: Data
    let publicKeyX963: Data
    let appId: String
    let clientDataHash: Data
    let previousCounter: UInt32
    let expected: Expected
}

struct ReceiptVector: Decodable {
    struct Expected: Decodable {
        let appId: String
        let clientHashField: Data
        let tokenField: String
        let receiptType: String
        let environment: String
        let creationTime: Date
        let riskMetric: String?
        let notBefore: Date?
        let expirationTime: Date
        let signerNotAfter: Date
    }
    let id: String
    let receipt: Data
    let keyId: Data
    let validAt: Date
    let expected: Expected
}

/// A negative vector of either kind, so most fields may be missing.
struct Negative: Decodable {
    let id: String
    let kind: String
    let description: String
    let errorClassesAccepted: [String]
    let requires: String?
    let attestationObject: Data?
    let keyId: Data?
    let appId: String
    let environment: String?
    let clientDataHash: Data
    let validAt: Date?
    let trustAnchor: String?
    let assertion: Data?
    let publicKeyX963: Data?
    let previousCounter: UInt32?
}

struct Sweep: Decodable {
    let id: String
    let kind: String
    let base: String
    let operation: String
    let mask: UInt8?
    let exceptRanges: [[Int]]?
}

struct Negatives: Decodable {
    let negatives: [Negative]
    let sweeps: [Sweep]

    static func load() throws -> Negatives {
        try Vectors.decoder.decode(Negatives.self, from: SharedData.data("appattest/negatives.json"))
    }
}

func roots(_ anchor: String) throws -> TrustRoots {
    if anchor.hasSuffix("Apple_App_Attestation_Root_CA.pem") { return .apple }
    let name = anchor.split(separator: "/").last.map(String.init) ?? anchor
    return try .only(pem: String(decoding: SharedData.data("appattest/\(name)"), as: UTF8.self))
}

func appraise(_ object: Data, keyID: Data, appID: String, environment: String, hash: Data, at time: Date, anchor: String) throws
    -> AttestationVerdict
{
    AttestationAppraiser(
        roots: try roots(anchor), appIDs: [appID], environment: AppAttestEnvironment(rawValue: environment) ?? .production
    ).appraise(Array(object), keyID: Array(keyID), clientDataHash: Array(hash), at: time)
}
