import CSandbox

/// The command-line arguments.
struct Settings {
    var isSelfTest = false
    /// `nil` to detect it from the file's first bytes.
    var mediaType: String?
    var limits = rial_sandbox_limits(memory_bytes: 1 << 30, cpu_seconds: 10, wall_seconds: 25, niceness: 5)

    /// `nil` if an argument is unknown or invalid.
    init?(_ arguments: some Sequence<String>) {
        var rest = arguments.makeIterator()
        while let name = rest.next() {
            if name == "--self-test" {
                isSelfTest = true
                continue
            }
            guard let value = rest.next() else { return nil }
            switch name {
            case "--media-type": mediaType = value
            case "--memory-bytes":
                guard let number = UInt64(value) else { return nil }
                limits.memory_bytes = number
            case "--cpu-seconds":
                guard let number = UInt64(value), number > 0, number < UInt64(UInt32.max) else { return nil }
                limits.cpu_seconds = number
            case "--wall-seconds":
                guard let number = UInt32(value) else { return nil }
                limits.wall_seconds = number
            default: return nil
            }
        }
    }
}
