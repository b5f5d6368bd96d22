/// A search for a place would find it in the seconds of a time: 45.764 in `T07:01:45.764Z`.
extension String {
    /// The text without times of day as `Timestamp` writes them.
    public var withoutTimes: String { replacing(/T\d\d:\d\d:\d\d(?:\.\d+)?Z/, with: "") }
}

extension [UInt8] {
    /// The bytes without times of day in ASCII.
    public var withoutTimes: [UInt8] {
        // Each byte as a character of its own.
        let text = String(String.UnicodeScalarView(map { Unicode.Scalar($0) }))
        return text.withoutTimes.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }
}
