import CaptureProtocol
import Foundation
import SwiftASN1

/// What a time-stamp authority signs: a TSTInfo (RFC 3161 §2.4.2).
struct TimestampInfo {
    let digestAlgorithm: ASN1ObjectIdentifier
    /// Digest of what was stamped.
    let imprint: [UInt8]
    let time: Date
    /// Big-endian without leading zeros; `nil` if there is none.
    let nonce: [UInt8]?

    init(_ bytes: ArraySlice<UInt8>) throws {
        self = try DER.sequence(try DER.parse(bytes), identifier: .sequence) { nodes in
            guard try Int(derEncoded: &nodes) == 1 else { throw ASN1Reading.Malformed.form }
            _ = try ASN1ObjectIdentifier(derEncoded: &nodes)
            let (algorithm, imprint) = try DER.sequence(try ASN1Reading.next(&nodes), identifier: .sequence) { nodes in
                (try ASN1Reading.algorithm(&nodes), try ASN1OctetString(derEncoded: &nodes).bytes)
            }
            _ = try ArraySlice<UInt8>(derEncoded: &nodes)
            let time = try Self.date(try GeneralizedTime(derEncoded: &nodes))
            var nonce: [UInt8]?
            // Accuracy, ordering, nonce, authority and extensions, all optional; of these only the nonce is needed.
            while let node = nodes.next() {
                if node.identifier == .integer { nonce = Array(TimestampRequest.number(Array(try ArraySlice<UInt8>(derEncoded: node)))) }
            }
            return Self(algorithm: algorithm, imprint: Array(imprint), time: time, nonce: nonce)
        }
    }

    private init(algorithm: ASN1ObjectIdentifier, imprint: [UInt8], time: Date, nonce: [UInt8]?) {
        digestAlgorithm = algorithm
        self.imprint = imprint
        self.time = time
        self.nonce = nonce
    }

    private static func date(_ time: GeneralizedTime) throws -> Date {
        func digits(_ value: Int, _ width: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
        }
        let day = "\(digits(time.year, 4))-\(digits(time.month, 2))-\(digits(time.day, 2))"
        let clock = "\(digits(time.hours, 2)):\(digits(time.minutes, 2)):\(digits(time.seconds, 2))"
        guard let whole = Timestamp.parse("\(day)T\(clock)Z") else { throw ASN1Reading.Malformed.form }
        return whole.addingTimeInterval(min(max(time.fractionalSeconds, 0), 0.999_999))
    }
}
