public import Foundation

/// How exactly a time is shared.
public enum TimePrecision: String, Codable, Sendable, CaseIterable {
    case none
    /// The day in UTC.
    case day
    case exact
}

/// When something happened, as exactly as it is shared.
public enum SharedTime: Sendable, Hashable {
    case exact(Date)
    /// The first moment of the day in UTC.
    case day(Date)
    case notShared

    public init(_ moment: Date, _ precision: TimePrecision) {
        switch precision {
        case .none: self = .notShared
        case .day: self = .day(Timestamp.startOfDay(moment))
        case .exact: self = .exact(moment)
        }
    }

    /// Reads `captures.captured_at` and `captured_precision`; `nil` if they contradict each other.
    public init?(column: Date?, precision: TimePrecision) {
        switch (precision, column) {
        case (.none, nil): self = .notShared
        case (.day, let day?): self = .day(day)
        case (.exact, let date?): self = .exact(date)
        default: return nil
        }
    }

    public var precision: TimePrecision {
        switch self {
        case .exact: .exact
        case .day: .day
        case .notShared: .none
        }
    }

    /// The moment, or the first moment of the day.
    public var date: Date? {
        switch self {
        case .exact(let date), .day(let date): date
        case .notShared: nil
        }
    }

    /// The same time, no more exact than the precision.
    public func limited(to precision: TimePrecision) -> SharedTime {
        switch (self, precision) {
        case (.exact(let moment), _): SharedTime(moment, precision)
        case (_, .none): .notShared
        case (.day, _), (.notShared, _): self
        }
    }

    /// RFC 3339 with milliseconds, "2026-11-21", or `nil`.
    public var text: String? {
        switch self {
        case .exact(let date): Timestamp.format(date)
        case .day(let date): Timestamp.formatDay(date)
        case .notShared: nil
        }
    }
}

extension SharedTime: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard !container.decodeNil() else {
            self = .notShared
            return
        }
        let text = try container.decode(String.self)
        if let day = Timestamp.parseDay(text) {
            self = .day(day)
        } else if let moment = Timestamp.parse(text) {
            self = .exact(moment)
        } else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "neither RFC 3339 nor a day")
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let text { try container.encode(text) } else { try container.encodeNil() }
    }
}
