/// Something that a handler stands on is away, other than the database, the broker and the store: only time helps, so that the record is
/// tried until it is back, however long that takes.
public struct DependencyUnavailable: Error, CustomStringConvertible {
    public let dependency: String
    public let detail: String

    public init(_ dependency: String, _ detail: String) {
        self.dependency = dependency
        self.detail = detail
    }

    public var description: String { "\(dependency): \(detail)" }
}
