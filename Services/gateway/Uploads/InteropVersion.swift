import Foundation
import HTTPTypes

/// An iteration of draft-ietf-httpbis-resumable-upload that clients speak, with the fields as it spells them: 3 is draft -01, 4 is -02, 5 is
/// -03, 6 is -04 and -05, 7 is -06 to -08, 8 is -09 to -11.
enum InteropVersion: Int, CaseIterable, Sendable {
    case three = 3
    case four, five, six, seven, eight

    /// What a request without `Upload-Draft-Interop-Version` counts as.
    static let latest = InteropVersion.eight

    /// - Parameter field: the value of `Upload-Draft-Interop-Version`; `nil` if absent.
    /// - Returns: `nil` for an unsupported version, and for a value that is not an integer.
    init?(field: String?) {
        guard let field else {
            self = .latest
            return
        }
        guard let number = StructuredField.integer(field), let value = Int(exactly: number) else { return nil }
        self.init(rawValue: value)
    }

    /// The field that says whether a request holds the end of the body, or a response that the upload is complete.
    var completenessName: HTTPField.Name { self == .three ? .uploadIncomplete : .uploadComplete }

    /// - Returns: `nil` if the field is not a boolean.
    func isComplete(_ field: String) -> Bool? {
        StructuredField.boolean(field).map { self == .three ? !$0 : $0 }
    }

    func completeness(_ isComplete: Bool) -> String { isComplete != (self == .three) ? "?1" : "?0" }

    /// Whether bytes are appended as `application/partial-upload` (draft -04 §6).
    var hasPartialUploadType: Bool { rawValue >= Self.six.rawValue }

    /// The value of `Upload-Limit`.
    /// - Parameter seconds: until the upload expires.
    func limit(maximumBytes: Int, seconds: Int) -> String {
        "max-size=\(maximumBytes), \(self == .six ? "expires" : "max-age")=\(max(seconds, 0))"
    }
}

/// Values of structured fields (RFC 9651), as far as uploads use them. Parameters are ignored.
enum StructuredField {
    /// `?1` or `?0`.
    static func boolean(_ text: String) -> Bool? {
        switch item(text) {
        case "?1": true
        case "?0": false
        default: nil
        }
    }

    /// A non-negative integer of at most 15 digits.
    static func integer(_ text: String) -> Int64? {
        let digits = item(text)
        guard (1...15).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(digits)
    }

    /// The byte sequence of a dictionary's member; the last one counts. `nil` if there is none, or it is not a byte sequence.
    static func bytes(_ name: String, inDictionary text: String) -> [UInt8]? {
        let members = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        guard let member = members.last(where: { $0.hasPrefix(name + "=") }) else { return nil }
        let value = item(String(member.dropFirst(name.count + 1)))
        guard value.count >= 2, value.first == ":", value.last == ":" else { return nil }
        return Data(base64Encoded: String(value.dropFirst().dropLast())).map(Array.init)
    }

    private static func item(_ text: String) -> String {
        (text.split(separator: ";", omittingEmptySubsequences: false).first ?? "").trimmingCharacters(in: .whitespaces)
    }
}
