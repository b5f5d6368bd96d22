import CSandbox
import Foundation

/// Starts a program with a few files and nothing else of this process: no other descriptors, no environment, default signal handling, and
/// the root as its working directory.
struct InspectorProcess: ~Copyable {
    let id: pid_t
    /// The program's standard output and standard error.
    let output: OwnedDescriptor
    let errors: OwnedDescriptor

    /// An untrusted file must not make the Swift runtime write backtraces.
    private static let environment = ["SWIFT_BACKTRACE=enable=no"]

    /// Blocks until the program runs. It leads its own process group, and ``InspectorWatch`` must reap it.
    /// - Parameters:
    ///   - input: the program's descriptor 0.
    ///   - others: its descriptors 3, 4 …
    init(
        executable: String, arguments: [String], input: borrowing OwnedDescriptor, others: DescriptorList, limits: InspectionLimits
    ) throws(InspectionError) {
        let output = try Pipe.make()
        let errors = try Pipe.make()

        let descriptors = [input.number, output.write.number, errors.write.number] + others.numbers
        var child: pid_t = 0
        let status = Self.withCStrings([executable] + arguments) { arguments in
            Self.withCStrings(Self.environment) { environment in
                rial_spawn(executable, arguments, environment, descriptors, descriptors.count, &child)
            }
        }
        guard status == 0 else { throw .unavailable("\(executable): \(String(cString: strerror(status)))") }
        id = child
        self.output = output.read
        self.errors = errors.read

        // The program also limits itself before it reads; this holds even if it does not.
        var bounds = limits.sandbox
        _ = rial_limit_child(child, &bounds)
    }

    private static func withCStrings<T>(_ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> T) -> T {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }
}

extension InspectionLimits {
    var sandbox: rial_sandbox_limits {
        rial_sandbox_limits(
            memory_bytes: UInt64(clamping: memoryBytes), cpu_seconds: UInt64(clamping: cpuSeconds),
            wall_seconds: UInt32(clamping: orphanSeconds), niceness: 0)
    }
}
