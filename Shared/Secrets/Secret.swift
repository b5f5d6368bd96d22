/// A setting that neither a description nor a dump of what contains it shows: a key, a password, a PIN.
public struct Secret<Value: Sendable>: Sendable, CustomStringConvertible, CustomReflectable {
    /// For whoever needs it, where it is needed.
    public let value: Value

    public init(_ value: Value) { self.value = value }

    public var description: String { "(secret)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Secret: Equatable where Value: Equatable {}
