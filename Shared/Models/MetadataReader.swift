import Foundation

/// Takes typed values out of a JSON object, naming the field that is wrong.
struct MetadataReader {
    let fields: [String: Any]
    var path = ""

    func object(_ name: String) throws(MetadataError) -> MetadataReader {
        guard let value = fields[name] as? [String: Any] else { throw MetadataError(path + name, "is missing or not an object") }
        return MetadataReader(fields: value, path: path + name + ".")
    }

    func time(_ name: String) throws(MetadataError) -> Date {
        guard let date = Timestamp.parse(try text(name)) else { throw MetadataError(path + name, "is not an RFC 3339 time") }
        return date
    }

    func digest(_ name: String) throws(MetadataError) -> Digest {
        guard let digest = Digest(text: try text(name)) else {
            throw MetadataError(path + name, "is not a SHA-256 in hex or base64")
        }
        return digest
    }

    /// 1 to 100 characters, none of them a control character.
    func shortText(_ name: String) throws(MetadataError) -> String {
        let value = try text(name)
        guard (1...100).contains(value.count), value.utf8.count <= 400,
            value.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { throw MetadataError(path + name, "must have 1 to 100 characters and no control characters") }
        return value
    }

    func base64(_ name: String) throws(MetadataError) -> [UInt8]? {
        guard let value = fields[name], !(value is NSNull) else { return nil }
        guard let text = value as? String, let bytes = Base64.decode(text) else {
            throw MetadataError(path + name, "is not base64")
        }
        return bytes
    }

    func integer(_ name: String, in range: ClosedRange<Int>) throws(MetadataError) -> Int {
        let value = try number(name)
        guard let integer = Int(exactly: value), range.contains(integer) else {
            throw MetadataError(path + name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return integer
    }

    /// `latitude` or `lat`, `longitude` or `lng`; absent and null are the same.
    func location() throws(MetadataError) -> PreciseLocation? {
        guard let value = fields["location"], !(value is NSNull) else { return nil }
        let reader = try object("location")
        return PreciseLocation(
            latitude: try reader.number(reader.fields["latitude"] == nil ? "lat" : "latitude"),
            longitude: try reader.number(reader.fields["longitude"] == nil ? "lng" : "longitude"),
            altitude: try reader.optionalNumber("altitude"), accuracy: try reader.optionalNumber("accuracy"))
    }

    func optionalNumber(_ name: String) throws(MetadataError) -> Double? {
        guard let value = fields[name], !(value is NSNull) else { return nil }
        return try number(name)
    }

    /// A JSON number that a `Double` holds; `true` is none.
    func number(_ name: String) throws(MetadataError) -> Double {
        guard let value = fields[name] as? NSNumber, !isBoolean(value), value.doubleValue.isFinite else {
            throw MetadataError(path + name, "is missing or not a number")
        }
        return value.doubleValue
    }

    private func isBoolean(_ number: NSNumber) -> Bool { String(cString: number.objCType) == "c" || String(cString: number.objCType) == "B" }

    private func text(_ name: String) throws(MetadataError) -> String {
        guard let value = fields[name] as? String else { throw MetadataError(path + name, "is missing or not a string") }
        return value
    }
}
