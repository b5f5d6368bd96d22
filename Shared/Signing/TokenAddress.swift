/// Where a key is, and how to get at it. Describes itself without the PIN, also when dumped.
struct TokenAddress: Sendable, CustomStringConvertible, CustomReflectable {
    let tokenLabel: String
    let pin: String
    let keyLabel: String

    var description: String { "key \"\(keyLabel)\" on token \"\(tokenLabel)\"" }
    var customMirror: Mirror { Mirror(self, children: ["tokenLabel": tokenLabel, "keyLabel": keyLabel]) }
}
