/// The boundary of a multipart/form-data body, from its `Content-Type` header (RFC 7578 §4.1, RFC 2046 §5.1.1).
public struct MultipartBoundary: Sendable, Equatable {
    /// 1 to 70 characters of the `bchars` set.
    public let bytes: [UInt8]

    /// - Throws: ``MultipartError/notMultipart`` for another media type, ``MultipartError/badBoundary`` for a missing, repeated or
    ///   illegal boundary.
    public init(contentType: String) throws(MultipartError) {
        let fields = HeaderFields(contentType)
        guard fields.hasValue("multipart/form-data") else { throw .notMultipart }
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
///
/// Works on scalars and bytes: to compare characters or strings, Swift puts combining marks in a row in order, in quadratic time.
struct HeaderFields {
    let value: String
    private let rest: Substring.UnicodeScalarView

    init(_ text: String) {
        let scalars = text.unicodeScalars
        let end = scalars.firstIndex(of: ";") ?? scalars.endIndex
        value = Self.trim(scalars[..<end])
        rest = scalars[end...]
    }

    /// Whether this is the value, in letters of either case.
    /// - Parameter name: in lower case.
    func hasValue(_ name: String) -> Bool { value.lowercased().utf8.elementsEqual(name.utf8) }

    /// Names in lower case; the list ends at the first malformed parameter.
    func parameters() -> [(name: String, value: String)] {
        var list: [(String, String)] = []
        var text = rest
        while text.first == ";" {
            text = text.dropFirst()
            guard let equals = text.firstIndex(of: "=") else { break }
            let name = Self.trim(text[..<equals]).lowercased()
            guard name.utf8.allSatisfy({ $0 < 0x80 }) else { break }
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

    private static func quotedString(_ text: inout Substring.UnicodeScalarView) -> String? {
        var value = String.UnicodeScalarView()
        var index = text.index(after: text.startIndex)
        while index < text.endIndex {
            switch text[index] {
            case "\"":
                text = text[text.index(after: index)...]
                return String(value)
            case "\\" where text.index(after: index) < text.endIndex:
                index = text.index(after: index)
                value.append(text[index])
            default: value.append(text[index])
            }
            index = text.index(after: index)
        }
        return nil
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }

    private static func trim(_ text: Substring.UnicodeScalarView) -> String {
        var text = text.drop(while: isBlank)
        while let last = text.last, isBlank(last) { text = text.dropLast() }
        return String(text)
    }
}
