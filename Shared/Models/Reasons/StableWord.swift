/// A value of an enum of this version, or an unknown one of another version: stored evidence outlives the code, and is written back
/// unchanged.
public struct StableWord<Known>: Codable, Sendable, Hashable, CustomStringConvertible
where Known: RawRepresentable & Sendable & Hashable, Known.RawValue == String {
    public let text: String
    /// `nil` for a value that this version does not know.
    public var known: Known? { Known(rawValue: text) }
    public var description: String { text }

    public init(_ known: Known) { text = known.rawValue }

    /// The stored text.
    public init(text: String) { self.text = text }

    public init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
