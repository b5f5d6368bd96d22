/// The command line of a sandboxed program: options with a value each, and `--self-test`, which has none.
public struct ProgramOptions: Sendable {
    public private(set) var isSelfTest = false
    /// The other options, in their order; what they mean is the program's to say.
    public private(set) var values: [(name: String, value: String)] = []

    /// - Parameter arguments: without the program's own name.
    /// - Returns: `nil` if the last option has no value.
    public init?(_ arguments: some Sequence<String>) {
        var rest = arguments.makeIterator()
        while let name = rest.next() {
            if name == "--self-test" {
                isSelfTest = true
                continue
            }
            guard let value = rest.next() else { return nil }
            values.append((name, value))
        }
    }
}
