import Foundation

/// A piece of work in a trace, in OpenTelemetry's terms.
///
/// Names and attributes follow its semantic conventions. They must not tell who or where somebody is, nor what a capture shows: a collector
/// is not a place for that.
public struct Span: Sendable {
    /// OTLP's numbers.
    public enum Kind: Int, Sendable {
        case server = 2
        case client, producer, consumer
    }
    public enum Value: Sendable, Equatable {
        case text(String)
        case integer(Int64)
    }

    /// Bytes of a text that are kept.
    static let longestText = 256

    let name: String
    let kind: Kind
    let context: TraceContext
    /// The identifier of the span that caused this one; `nil` for the first of a trace.
    let parentID: String?
    let start: SpanTime
    let end: SpanTime
    let attributes: [(name: String, value: Value)]
    let isFailure: Bool

    /// A span that ends now.
    /// - Parameters:
    ///   - context: its own position in the trace.
    ///   - parent: that of the work that caused it.
    ///   - failure: the class of its error (`error.type`); `nil` if it succeeded.
    public init(
        _ name: String, _ kind: Kind, _ context: TraceContext, parent: TraceContext?, since start: SpanTime,
        attributes: [(name: String, value: Value)], failure: String? = nil
    ) {
        self.name = Self.bounded(name)
        self.kind = kind
        self.context = context
        parentID = parent?.spanID
        self.start = start
        // The system's clock may have been set back meanwhile.
        end = max(start, .now)
        self.attributes = (attributes + (failure.map { [("error.type", .text($0))] } ?? [])).map { name, value in
            guard case .text(let text) = value else { return (name, value) }
            return (name, .text(Self.bounded(text)))
        }
        isFailure = failure != nil
    }

    private static func bounded(_ text: String) -> String {
        text.utf8.count > longestText ? String(decoding: text.utf8.prefix(longestText), as: UTF8.self) : text
    }
}

/// A time by the system's clock, in nanoseconds since 1970.
public struct SpanTime: Sendable, Comparable {
    let nanoseconds: UInt64

    public static var now: SpanTime {
        SpanTime(nanoseconds: UInt64(max(0, Date().timeIntervalSince1970) * 1e9))
    }

    public static func < (left: SpanTime, right: SpanTime) -> Bool { left.nanoseconds < right.nanoseconds }
}
