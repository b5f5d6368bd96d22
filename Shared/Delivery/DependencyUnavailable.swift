/// A handler's dependency is unavailable, other than the database, the broker and the object store. The record is retried until it is back,
/// without a limit.
public struct DependencyUnavailable: Error, CustomStringConvertible {
    public let dependency: String
    public let detail: String

    public init(_ dependency: String, _ detail: String) {
        self.dependency = dependency
        self.detail = detail
    }

    public var description: String { "\(dependency): \(detail)" }
}
