/// A statement whose interpolated values are bound as parameters, never inserted as text.
///
/// ```swift
/// "SELECT * FROM \(unescaped: table) WHERE id = \(id)"
/// ```
public struct SQL: ExpressibleByStringInterpolation, Sendable {
    /// The text around the parameters: always one segment more than parameters.
    private var segments: [String]
    private(set) var parameters: [Parameter]

    /// A value in PostgreSQL's binary format.
    struct Parameter: Sendable {
        let type: UInt32
        let bytes: [UInt8]?
    }

    public init(stringLiteral value: String) {
        segments = [value]
        parameters = []
    }

    public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.statement }

    /// A statement from text that the program itself made; never pass untrusted text.
    public init(unescaped text: String) { self.init(stringLiteral: text) }

    /// The two texts one after the other, each with its own parameters.
    public static func + (left: SQL, right: SQL) -> SQL {
        var sum = left
        sum += right
        return sum
    }

    public static func += (left: inout SQL, right: SQL) {
        left.append(right.segments[0])
        left.parameters += right.parameters
        left.segments += right.segments.dropFirst()
    }

    /// The statement with `$1`, `$2`, … for its parameters.
    var text: String {
        var text = segments[0]
        for (index, segment) in segments.dropFirst().enumerated() { text += "$\(index + 1)\(segment)" }
        return text
    }

    fileprivate mutating func append(_ text: String) { segments[segments.count - 1] += text }

    fileprivate mutating func bind(_ value: some PostgresBindable) {
        parameters.append(Parameter(type: type(of: value).postgresType, bytes: value.postgresBytes))
        segments.append("")
    }

    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var statement: SQL = ""

        public init(literalCapacity: Int, interpolationCount: Int) {}

        public mutating func appendLiteral(_ literal: String) { statement.append(literal) }

        /// Binds a value.
        public mutating func appendInterpolation(_ value: some PostgresBindable) { statement.bind(value) }

        /// Binds a value, or NULL.
        public mutating func appendInterpolation(_ value: (some PostgresBindable)?) { statement.bind(value) }

        /// Inserts another statement with its own parameters.
        public mutating func appendInterpolation(_ other: SQL) { statement += other }

        /// Inserts text that the program itself made, such as a table's name; never pass untrusted text.
        public mutating func appendInterpolation(unescaped text: String) { statement.append(text) }
    }
}
