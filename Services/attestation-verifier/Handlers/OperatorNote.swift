import Foundation

/// What an operator says with a change: an optional JSON body `{"by": …, "reason": …}`.
struct OperatorNote: Sendable, Equatable {
    static let maximumBytes = 4096
    static let maximumCharacters = 500
    /// Who, as the tool names itself.
    let by: String
    let reason: String?

    private struct Body: Decodable {
        let by: String?
        let reason: String?
    }

    /// - Returns: `nil` for what is no such body, or holds control characters or more than ``maximumCharacters``.
    init?(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else {
            by = "admin-port"
            reason = nil
            return
        }
        guard bytes.count <= Self.maximumBytes, let body = try? JSONDecoder().decode(Body.self, from: Data(bytes)) else { return nil }
        guard [body.by, body.reason].compactMap({ $0 }).allSatisfy(Self.isPlain) else { return nil }
        by = body.by.flatMap { $0.isEmpty ? nil : $0 } ?? "admin-port"
        reason = body.reason.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func isPlain(_ text: String) -> Bool {
        text.unicodeScalars.count <= maximumCharacters && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }
}
