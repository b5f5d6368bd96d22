/// The named points between two effects, such as syncing a file and renaming it, where a test may end the process.
public struct FailPoints: Sendable {
    private let hook: @Sendable (String) -> Void

    /// Does nothing at any point.
    public static let none = FailPoints { _ in }

    /// - Parameter hook: called at each point with the point's name, such as "seal.synced".
    public init(_ hook: @escaping @Sendable (String) -> Void) { self.hook = hook }

    public func reached(_ name: String) { hook(name) }
}
