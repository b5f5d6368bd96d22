/// A word of a list that this version knows, or of another version's: evidence outlives the code that wrote it, and is written back as it
/// was read.
public struct StableWord<Known>: Codable, Sendable, Hashable, CustomStringConvertible
where Known: RawRepresentable & Sendable & Hashable, Known.RawValue == String {
    public let text: String
    /// `nil` for a word that this version does not know.
    public var known: Known? { Known(rawValue: text) }
    public var description: String { text }

    public init(_ known: Known) { text = known.rawValue }

    /// As it stands in a row.
    public init(text: String) { self.text = text }

    public init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
