import Crypto
public import Foundation
public import Secrets
import Synchronization

/// Signs requests by AWS Signature Version 4 for one region and service.
public struct SigV4Signer: Sendable {
    static let algorithm = "AWS4-HMAC-SHA256"
    /// The digest of an empty body.
    public static let emptyPayload = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    public static let unsignedPayload = "UNSIGNED-PAYLOAD"

    let accessKeyID: String
    let secretAccessKey: Secret<String>
    let region: String
    let service: String
    private let dayKey = DayKey()

    public init(accessKeyID: String, secretAccessKey: Secret<String>, region: String, service: String = "s3") {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.region = region
        self.service = service
    }

    /// The `Authorization` header.
    /// - Parameters:
    ///   - path: percent-encoded, as sent.
    ///   - query: names and values before encoding.
    ///   - headers: all headers to sign, including `host` and `x-amz-date`.
    ///   - payloadHash: hex SHA-256 of the body, or `UNSIGNED-PAYLOAD`.
    public func authorization(
        method: String, path: String, query: [(String, String)], headers: [(String, String)], payloadHash: String, at time: Date
    ) -> String {
        authorization(
            method: method, path: path, query: query, headers: headers, payloadHash: payloadHash, stamp: Self.timestamp(time))
    }

    /// - Parameter stamp: the ``timestamp(_:)`` of the request.
    func authorization(
        method: String, path: String, query: [(String, String)], headers: [(String, String)], payloadHash: String, stamp: String
    ) -> String {
        let signed = Self.signedHeaders(headers)
        let request = Self.canonicalRequest(
            method: method, path: path, query: query, headers: headers, payloadHash: payloadHash)
        let signature = signature(of: request, stamp)
        return "\(Self.algorithm) Credential=\(accessKeyID)/\(scope(stamp)),SignedHeaders=\(signed),Signature=\(signature)"
    }

    /// The query of a presigned URL, percent-encoded, without "?".
    /// - Parameters:
    ///   - expires: seconds, at most seven days.
    ///   - more: additional query names and values, before encoding; they are signed too.
    public func presignedQuery(
        method: String, host: String, path: String, expires: Int, at time: Date, adding more: [(String, String)] = []
    ) -> String {
        let stamp = Self.timestamp(time)
        let query =
            more + [
                ("X-Amz-Algorithm", Self.algorithm), ("X-Amz-Credential", "\(accessKeyID)/\(scope(stamp))"),
                ("X-Amz-Date", stamp), ("X-Amz-Expires", String(min(max(expires, 1), 604_800))),
                ("X-Amz-SignedHeaders", "host"),
            ]
        let request = Self.canonicalRequest(
            method: method, path: path, query: query, headers: [("host", host)], payloadHash: Self.unsignedPayload)
        return Self.canonicalQuery(query) + "&X-Amz-Signature=" + signature(of: request, stamp)
    }

    static func canonicalRequest(
        method: String, path: String, query: [(String, String)], headers: [(String, String)], payloadHash: String
    ) -> String {
        let lines = headers.map { ($0.0.lowercased(), collapse($0.1)) }.sorted { $0.0 < $1.0 }
        let headerText = lines.map { "\($0.0):\($0.1)\n" }.joined()
        return [method, path, canonicalQuery(query), headerText, signedHeaders(headers), payloadHash].joined(separator: "\n")
    }

    static func signedHeaders(_ headers: [(String, String)]) -> String {
        headers.map { $0.0.lowercased() }.sorted().joined(separator: ";")
    }

    static func canonicalQuery(_ query: [(String, String)]) -> String {
        query.map { (encode($0.0), encode($0.1)) }.sorted { $0 < $1 }.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
    }

    /// Percent-encodes all but RFC 3986 unreserved characters, and "/" if it is a separator; upper-case hex.
    static func encode(_ text: String, keepingSlash: Bool = false) -> String {
        var encoded: [UInt8] = []
        for unit in text.utf8 {
            switch unit {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f, 0x7e: encoded.append(unit)
            case 0x2f where keepingSlash: encoded.append(unit)
            default:
                let digits = Array("0123456789ABCDEF".utf8)
                encoded.append(contentsOf: [0x25, digits[Int(unit >> 4)], digits[Int(unit & 15)]])
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// "20130524T000000Z".
    static func timestamp(_ time: Date) -> String {
        time.formatted(
            .iso8601.year().month().day().dateSeparator(.omitted).time(includingFractionalSeconds: false)
                .timeSeparator(.omitted).timeZone(separator: .omitted))
    }

    private func scope(_ stamp: String) -> String { "\(stamp.prefix(8))/\(region)/\(service)/aws4_request" }

    private func signature(of canonicalRequest: String, _ stamp: String) -> String {
        let digest = Self.hex(SHA256.hash(data: Array(canonicalRequest.utf8)))
        let text = [Self.algorithm, stamp, scope(stamp), digest].joined(separator: "\n")
        return Self.hex(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key(of: String(stamp.prefix(8)))))
    }

    private func key(of day: String) -> SymmetricKey {
        dayKey.value(of: day) {
            var key = SymmetricKey(data: Array("AWS4\(secretAccessKey.value)".utf8))
            for part in [day, region, service, "aws4_request"] {
                key = SymmetricKey(data: Data(HMAC<SHA256>.authenticationCode(for: Array(part.utf8), using: key)))
            }
            return key
        }
    }

    /// Trims white space and collapses runs of it to one space.
    private static func collapse(_ value: String) -> String {
        value.split(whereSeparator: { $0 == " " || $0 == "\t" }).joined(separator: " ")
    }

    static func hex(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

extension SigV4Signer: CustomStringConvertible, CustomReflectable {
    /// Never contains the secret.
    public var description: String { "\(Self.algorithm) for \(accessKeyID) in \(region)" }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// The signing key of the latest day that was asked for: it takes four digests to derive, and all requests of a day share it.
private final class DayKey: Sendable {
    private let latest = Mutex<(day: String, key: SymmetricKey)?>(nil)

    func value(of day: String, _ derive: () -> SymmetricKey) -> SymmetricKey {
        if let latest = latest.withLock({ $0 }), latest.day == day { return latest.key }
        let key = derive()
        latest.withLock { $0 = (day, key) }
        return key
    }
}
