import Foundation

/// Reads typed values from a JSON object; errors name the field.
struct MetadataReader {
    private let fields: [String: StrictJSON]
    private let path: String

    /// - Throws: ``MetadataError`` for `document` if the bytes are not one valid JSON object.
    /// - Parameter path: put before the names of members in errors.
    init(_ bytes: [UInt8], document: String = UploadPart.metadata.rawValue, path: String = "") throws(MetadataError) {
        do throws(StrictJSON.Failure) {
            guard case .object(let fields) = try StrictJSON(bytes) else { throw StrictJSON.Failure.malformed }
            self.init(fields: fields, path: path)
        } catch {
            switch error {
            case .malformed: throw MetadataError(document, "is not a JSON object")
            case .tooDeep: throw MetadataError(document, "is nested too deep")
            case .duplicateName(let name): throw MetadataError(Self.printable(name), "occurs twice")
            }
        }
    }

    private init(fields: [String: StrictJSON], path: String) {
        self.fields = fields
        self.path = path
    }

    func error(_ name: String, _ problem: String) -> MetadataError { MetadataError(path + name, problem) }

    /// Whether the member is there, even if it is null.
    func has(_ name: String) -> Bool { fields[name] != nil }

    func isNull(_ name: String) -> Bool { fields[name] == .null }

    /// Refuses members that are missing or not listed, and optional ones that are null instead of absent.
    func close<Key: CodingKey>(_ demanded: [Key], optional: [Key] = []) throws(MetadataError) {
        for key in demanded where !has(key.stringValue) { throw error(key.stringValue, "is missing") }
        for key in optional where isNull(key.stringValue) { throw error(key.stringValue, "must not be null") }
        let known = Set((demanded + optional).map(\.stringValue))
        for name in fields.keys.sorted() where !known.contains(name) { throw error(Self.printable(name), "is not a known member") }
    }

    func object(_ name: String) throws(MetadataError) -> MetadataReader {
        guard case .object(let members) = fields[name] else { throw MetadataError(path + name, "is missing or not an object") }
        return MetadataReader(fields: members, path: path + name + ".")
    }

    /// - Parameter maximum: of elements.
    func array(_ name: String, atMost maximum: Int) throws(MetadataError) -> [StrictJSON] {
        guard case .array(let elements) = fields[name] else { throw error(name, "is missing or not an array") }
        guard elements.count <= maximum else { throw error(name, "has more than \(maximum) elements") }
        return elements
    }

    func objects(_ name: String, atMost maximum: Int) throws(MetadataError) -> [MetadataReader] {
        var readers: [MetadataReader] = []
        for (index, element) in try array(name, atMost: maximum).enumerated() {
            guard case .object(let members) = element else { throw error(name, "must be objects") }
            readers.append(MetadataReader(fields: members, path: "\(path)\(name)[\(index)]."))
        }
        return readers
    }

    func time(_ name: String) throws(MetadataError) -> Date {
        guard let date = Timestamp.parse(try text(name)) else { throw MetadataError(path + name, "is not an RFC 3339 time") }
        return date
    }

    func digest(_ name: String) throws(MetadataError) -> ContentDigest {
        guard let digest = ContentDigest(text: try text(name)) else {
            throw MetadataError(path + name, "is not a SHA-256 in hex or base64")
        }
        return digest
    }

    /// Only in hex, of either case.
    func hexDigest(_ name: String) throws(MetadataError) -> ContentDigest {
        let digits = try text(name)
        guard digits.utf8.count == 64, let digest = ContentDigest(text: digits) else { throw error(name, "is not a SHA-256 in hex") }
        return digest
    }

    func word<Word: RawRepresentable & CaseIterable>(_ name: String) throws(MetadataError) -> Word where Word.RawValue == String {
        guard let word = Word(rawValue: try text(name)) else {
            throw error(name, "must be one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return word
    }

    /// Why the depth could not be decided; the words that a device may give.
    func depthReason(_ name: String) throws(MetadataError) -> DepthReason? {
        guard !isNull(name) else { return nil }
        switch DepthReason(rawValue: try text(name)) {
        case .tooFewValid?: return .tooFewValid
        case .notASurface?: return .notASurface
        default: throw error(name, "must be null, \(DepthReason.tooFewValid.rawValue) or \(DepthReason.notASurface.rawValue)")
        }
    }

    /// `nil` if the member is absent.
    func flag(_ name: String) throws(MetadataError) -> Bool? {
        guard has(name) else { return nil }
        guard case .bool(let value) = fields[name] else { throw error(name, "is not true or false") }
        return value
    }

    func optionalShortText(_ name: String) throws(MetadataError) -> String? { isGiven(name) ? try shortText(name) : nil }

    /// 1 to 100 characters, none of them a control character.
    func shortText(_ name: String) throws(MetadataError) -> String {
        let value = try text(name)
        guard value.utf8.count <= 400, (1...100).contains(value.count), value.unicodeScalars.allSatisfy(Self.isVisible) else {
            throw MetadataError(path + name, "must have 1 to 100 characters and no control characters")
        }
        return value
    }

    func base64(_ name: String) throws(MetadataError) -> [UInt8]? {
        guard isGiven(name) else { return nil }
        guard case .string(let text) = fields[name], let bytes = Base64.decode(text) else {
            throw MetadataError(path + name, "is not base64")
        }
        return bytes
    }

    func integer(_ name: String, in range: ClosedRange<Int>) throws(MetadataError) -> Int {
        guard let integer = Int(exactly: try number(name)), range.contains(integer) else {
            throw MetadataError(path + name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return integer
    }

    /// Reads a place with `latitude` or `lat`, and `longitude` or `lng`; `nil` if the object is absent or null.
    func location(_ name: String) throws(MetadataError) -> PreciseLocation? {
        guard isGiven(name) else { return nil }
        let reader = try object(name)
        return PreciseLocation(
            latitude: try reader.number(reader.isGiven("latitude") || !reader.isGiven("lat") ? "latitude" : "lat"),
            longitude: try reader.number(reader.isGiven("longitude") || !reader.isGiven("lng") ? "longitude" : "lng"),
            altitude: try reader.optionalNumber("altitude"), accuracy: try reader.optionalNumber("accuracy"))
    }

    func optionalNumber(_ name: String) throws(MetadataError) -> Double? {
        isGiven(name) ? try number(name) : nil
    }

    func number(_ name: String) throws(MetadataError) -> Double {
        guard case .number(let value) = fields[name], value.isFinite else {
            throw MetadataError(path + name, "is missing or not a number")
        }
        return value
    }

    func text(_ name: String) throws(MetadataError) -> String {
        guard case .string(let value) = fields[name] else { throw MetadataError(path + name, "is missing or not a string") }
        return value
    }

    /// Whether the member is there and not null.
    func isGiven(_ name: String) -> Bool {
        switch fields[name] {
        case nil, .null?: false
        default: true
        }
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }

    /// An untrusted name, made safe to show in an error.
    private static func printable(_ name: String) -> String {
        String(String.UnicodeScalarView(name.unicodeScalars.filter(isVisible).prefix(64)))
    }
}
