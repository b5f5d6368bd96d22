import Synchronization

/// A flag that is set once, from anywhere.
public final class Flag: Sendable {
    private let value = Mutex(false)

    public init() {}

    public var isSet: Bool { value.withLock { $0 } }
    public func set() { value.withLock { $0 = true } }
}
