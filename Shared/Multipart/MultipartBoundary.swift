/// The boundary of a multipart/form-data body, from its `Content-Type` header (RFC 7578 §4.1, RFC 2046 §5.1.1).
public struct MultipartBoundary: Sendable, Equatable {
    /// 1 to 70 characters of the `bchars` set.
    public let bytes: [UInt8]

    /// - Throws: ``MultipartError/notMultipart`` for another media type, ``MultipartError/badBoundary`` for a missing, repeated or
    ///   illegal boundary.
    public init(contentType: String) throws(MultipartError) {
        var fields = HeaderFields(contentType)
        guard fields.value.lowercased() == "multipart/form-data" else { throw .notMultipart }
        let boundaries = fields.parameters().filter { $0.name == "boundary" }
        guard boundaries.count == 1, let boundary = boundaries.first?.value else { throw .badBoundary }
        let bytes = Array(boundary.utf8)
        guard (1...70).contains(bytes.count), bytes.allSatisfy(Self.isAllowed), bytes.last != 0x20 else { throw .badBoundary }
        self.bytes = bytes
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        default: "'()+_,-./:=? ".utf8.contains(byte)
        }
    }
}

/// A header's value and its parameters, quoted or not (RFC 9110 §5.6.6).
struct HeaderFields {
    let value: String
    private let rest: Substring

    init(_ text: String) {
        let end = text.firstIndex(of: ";") ?? text.endIndex
        value = Self.trim(text[..<end])
        rest = text[end...]
    }

    /// Names in lower case; the list ends at the first malformed parameter.
    mutating func parameters() -> [(name: String, value: String)] {
        var list: [(String, String)] = []
        var text = rest
        while text.first == ";" {
            text = text.dropFirst()
            guard let equals = text.firstIndex(of: "=") else { break }
            let name = Self.trim(text[..<equals]).lowercased()
            text = text[text.index(after: equals)...].drop(while: Self.isBlank)
            var value = ""
            if text.first == "\"" {
                guard let quoted = Self.quotedString(&text) else { break }
                value = quoted
            } else {
                let end = text.firstIndex(of: ";") ?? text.endIndex
                value = Self.trim(text[..<end])
                text = text[end...]
            }
            list.append((name, value))
            text = text.drop(while: Self.isBlank)
        }
        return list
    }

    private static func quotedString(_ text: inout Substring) -> String? {
        var value = ""
        var index = text.index(after: text.startIndex)
        while index < text.endIndex {
            switch text[index] {
            case "\"":
                text = text[text.index(after: index)...]
                return value
            case "\\" where text.index(after: index) < text.endIndex:
                index = text.index(after: index)
                value.append(text[index])
            default: value.append(text[index])
            }
            index = text.index(after: index)
        }
        return nil
    }

    private static func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }

    private static func trim(_ text: Substring) -> String {
        var text = text.drop(while: isBlank)
        while let last = text.last, isBlank(last) { text = text.dropLast() }
        return String(text)
    }
}
