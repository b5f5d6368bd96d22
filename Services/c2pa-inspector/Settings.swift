import CSandbox
import Inspection

/// The command-line arguments.
struct Settings {
    var isSelfTest = false
    /// `nil` to detect it from the file's first bytes.
    var mediaType: String?
    var limits = rial_sandbox_limits(memory_bytes: 1 << 30, cpu_seconds: 10, wall_seconds: 25, niceness: 5)

    /// `nil` if an argument is unknown or invalid.
    init?(_ arguments: some Sequence<String>) {
        guard let options = ProgramOptions(arguments) else { return nil }
        isSelfTest = options.isSelfTest
        for (name, value) in options.values {
            if name == "--media-type" {
                mediaType = value
            } else if !limits.take(name, value) {
                return nil
            }
        }
    }
}
