import CaptureProtocol
import Foundation

/// The optional JSON body of an operator request: `{"by": …, "reason": …, "since": …}`.
struct OperatorNote: Sendable, Equatable {
    static let maximumBytes = 4096
    static let maximumCharacters = 500
    /// The name the operator's tool sent; `admin-port` by default.
    let by: String
    let reason: String?
    /// From when on a revocation counts: captures received since then are revoked, too.
    let since: Date?

    private struct Body: Decodable {
        let by: String?
        let reason: String?
        let since: String?
    }

    /// - Returns: `nil` if the body is malformed, contains control characters, exceeds ``maximumBytes`` or ``maximumCharacters``, or has
    ///   a time that is not RFC 3339.
    init?(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else {
            by = "admin-port"
            reason = nil
            since = nil
            return
        }
        guard bytes.count <= Self.maximumBytes, let body = try? JSONDecoder().decode(Body.self, from: Data(bytes)) else { return nil }
        guard [body.by, body.reason].compactMap({ $0 }).allSatisfy(Self.isPlain) else { return nil }
        by = body.by.flatMap { $0.isEmpty ? nil : $0 } ?? "admin-port"
        reason = body.reason.flatMap { $0.isEmpty ? nil : $0 }
        since = body.since.flatMap(Timestamp.parse)
        if body.since != nil, since == nil { return nil }
    }

    private static func isPlain(_ text: String) -> Bool {
        text.unicodeScalars.count <= maximumCharacters && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }
}
