public import CaptureProtocol
import SwiftASN1

/// A question to a time-stamp authority: a TimeStampReq (RFC 3161 §2.4.1) over a SHA-256 that asks for the certificates.
public struct TimestampRequest: Sendable, Equatable {
    public let imprint: ContentDigest
    /// Random bytes that the answer repeats, as a big-endian number.
    public let nonce: [UInt8]

    /// - Parameter nonce: 8 to 32 random bytes.
    public init(imprint: ContentDigest, nonce: [UInt8]) {
        self.imprint = imprint
        self.nonce = nonce
    }

    /// DER, to be sent as `application/timestamp-query`.
    /// - Throws: ``BundleError`` for a nonce of another length.
    public func bytes() throws(BundleError) -> [UInt8] {
        guard (8...32).contains(nonce.count) else { throw BundleError(.timestamp, "a nonce has 8 to 32 bytes") }
        do {
            var serializer = DER.Serializer()
            try serializer.appendConstructedNode(identifier: .sequence) { request in
                try request.serialize(1)
                try request.appendConstructedNode(identifier: .sequence) { imprint in
                    try imprint.appendConstructedNode(identifier: .sequence) { algorithm in
                        try algorithm.serialize(TimestampAlgorithm.sha256)
                        try algorithm.serialize(ASN1Null())
                    }
                    try imprint.serialize(ASN1OctetString(contentBytes: self.imprint.bytes[...]))
                }
                try request.serialize(Self.number(nonce))
                try request.serialize(true)
            }
            return serializer.serializedBytes
        } catch {
            throw BundleError(.timestamp, "the request cannot be written: \(error)")
        }
    }

    /// The shortest big-endian form of a number.
    static func number(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        let digits = bytes.drop { $0 == 0 }
        return digits.isEmpty ? [0] : digits
    }
}
