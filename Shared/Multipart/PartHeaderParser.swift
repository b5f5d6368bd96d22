/// Reads the header lines of one part.
enum PartHeaderParser {
    /// The most bytes of a part's name, and of the name of a header that is read: to compare longer text may cost too much.
    private static let maximumNameBytes = 100

    /// - Parameter bytes: the lines, each ended by CRLF; at most the header limit.
    static func parse(_ bytes: ArraySlice<UInt8>) throws(MultipartError) -> PartHeaders {
        var disposition: String?
        var contentType: String?
        for line in bytes.split(separator: 0x0a) {
            guard line.last == 0x0d else { throw .malformed }
            let text = line.dropLast()
            guard !text.contains(0x0d), !text.contains(0), let colon = text.firstIndex(of: 0x3a) else { throw .malformed }
            guard let value = String(validating: text[(colon + 1)...], as: UTF8.self) else { throw .malformed }
            let name = text[..<colon]
            guard name.count <= maximumNameBytes else { continue }
            switch String(decoding: name, as: UTF8.self).lowercased() {
            case "content-disposition":
                guard disposition == nil else { throw .malformed }
                disposition = value
            case "content-type":
                guard contentType == nil else { throw .malformed }
                contentType = HeaderFields(value).value
            default: break
            }
        }
        guard let disposition else { throw .unnamedPart }
        let fields = HeaderFields(disposition)
        guard fields.hasValue("form-data") else { throw .unnamedPart }
        let parameters = fields.parameters()
        let names = parameters.filter { $0.name == "name" }
        guard names.count == 1, let name = names.first?.value, (1...maximumNameBytes).contains(name.utf8.count) else { throw .unnamedPart }
        let filename = parameters.first { $0.name == "filename" }.map { sanitized($0.value) }
        return PartHeaders(name: name, filename: filename, contentType: contentType)
    }

    private static func sanitized(_ filename: String) -> String {
        String(
            String.UnicodeScalarView(
                filename.unicodeScalars.filter { scalar in
                    scalar.value >= 0x20 && scalar.value != 0x7f && scalar != "/" && scalar != "\\"
                }.prefix(255)))
    }
}
