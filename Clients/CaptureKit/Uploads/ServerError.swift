import CaptureProtocol
import Foundation

/// What the server says is wrong (SPEC §2).
public struct ServerError: Error, Sendable, Equatable, Codable {
    /// HTTP status.
    public let status: Int
    /// Such as `INVALID_METADATA`; `nil` if the answer is not one of the API, but of a proxy.
    public let code: String?
    /// For people; at most 1,000 Unicode scalars.
    public let message: String
    /// JSON text, such as a list of fields and their problems; at most 16 KiB.
    public let details: String?

    public init(status: Int, code: String?, message: String, details: String? = nil) {
        self.status = status
        self.code = code
        self.message = message
        self.details = details
    }

    /// Reads an answer that is not the expected one.
    public init(_ response: HTTPResponse) {
        let error = ResponseEnvelope(response)?.error
        var code: String?
        if case .string(let text)? = error?["code"], Self.isCode(text) { code = text }
        var message = "the server answered with status \(response.status)"
        if case .string(let text)? = error?["message"] { message = String(text.unicodeScalars.prefix(1000)) }
        self.init(status: response.status, code: code, message: message, details: error?["details"].flatMap(Self.text))
    }

    /// ``code``, if this version knows it.
    var knownCode: ErrorCode? { code.flatMap(ErrorCode.init(rawValue:)) }

    private static func isCode(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
    }

    private static func text(_ details: StrictJSON) -> String? {
        guard details != .null else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(details), json.count <= 16 << 10 else { return nil }
        return String(decoding: json, as: UTF8.self)
    }
}
