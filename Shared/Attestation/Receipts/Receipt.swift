public import Foundation
import SwiftASN1

/// What Apple's fraud assessment signed about a key ("Assessing fraud risk"). Trust it only if it comes from ``ReceiptAppraiser``.
public struct Receipt: Sendable, Equatable {
    /// How a receipt came about.
    public enum Kind: String, Sendable {
        /// The receipt inside an attestation object.
        case attest = "ATTEST"
        /// The response of Apple's server to an earlier receipt.
        case refreshed = "RECEIPT"
    }
    /// Field 2: team and bundle.
    public let appID: String
    /// Field 3: the attested key's certificate, DER.
    public let certificate: [UInt8]
    /// Field 4. Damaged in refreshed receipts of 2020 and 2021: compare it only if `kind` is `attest`.
    public let clientHash: [UInt8]
    /// Field 5: base64 text.
    public let token: [UInt8]
    /// Field 6.
    public let kind: Kind
    /// Field 7: Apple writes `sandbox` for development.
    public let environment: AppAttestEnvironment
    /// Field 12.
    public let createdAt: Date
    /// Field 17: the approximate number of keys attested on the device in 30 days; only in refreshed receipts.
    public let riskMetric: Int?
    /// Field 19: when it may be refreshed again; only in refreshed receipts.
    public let notBefore: Date?
    /// Field 21: the end of its validity; it cannot be refreshed afterwards.
    public let expiresAt: Date
}

extension Receipt {
    /// Reads `SET OF SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }`. Unknown types are ignored, repeated ones refused.
    /// - Returns: `nil` if the payload has another form or lacks a field that every receipt has.
    init?(payload: ArraySlice<UInt8>) {
        guard let fields = Self.fields(payload), let appID = fields.text(2), let certificate = fields[3], let clientHash = fields[4],
            let token = fields[5], let kind = fields.text(6).flatMap(Kind.init(rawValue:)),
            let environment = fields.text(7).flatMap(Self.environment), let createdAt = fields.date(12),
            let expiresAt = fields.date(21)
        else { return nil }
        self.appID = appID
        self.certificate = Array(certificate)
        self.clientHash = Array(clientHash)
        self.token = Array(token)
        self.kind = kind
        self.environment = environment
        self.createdAt = createdAt
        riskMetric = fields.text(17).flatMap { Int($0) }
        notBefore = fields.date(19)
        self.expiresAt = expiresAt
    }

    private static func environment(_ text: String) -> AppAttestEnvironment? {
        switch text {
        case "sandbox": .development
        case "production": .production
        default: nil
        }
    }

    private static func fields(_ payload: ArraySlice<UInt8>) -> [Int: ArraySlice<UInt8>]? {
        guard let root = try? BER.parse(payload), root.identifier == .set, case .constructed(let nodes) = root.content else { return nil }
        var fields: [Int: ArraySlice<UInt8>] = [:]
        for node in nodes {
            let field = try? BER.sequence(node, identifier: .sequence) { nodes in
                let type = try Int(berEncoded: &nodes)
                _ = try Int(berEncoded: &nodes)
                return (type, try ASN1OctetString(berEncoded: &nodes).bytes)
            }
            guard let (type, value) = field, fields.updateValue(value, forKey: type) == nil else { return nil }
        }
        return fields
    }
}

extension [Int: ArraySlice<UInt8>] {
    fileprivate func text(_ type: Int) -> String? { self[type].flatMap { String(validating: $0, as: UTF8.self) } }

    fileprivate func date(_ type: Int) -> Date? {
        text(type).flatMap { text in
            (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
                ?? (try? Date(text, strategy: .iso8601))
        }
    }
}
