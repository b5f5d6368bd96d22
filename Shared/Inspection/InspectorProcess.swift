import CSandbox
import Foundation

/// Starts a program with six files and nothing else of ours: no other descriptor, no environment, no signal state, the root as its folder.
struct InspectorProcess: ~Copyable {
    let id: pid_t
    /// What it writes to its descriptors 1 and 2.
    let output: OwnedDescriptor
    let complaints: OwnedDescriptor

    /// The files that it finds under its descriptors 0, 3, 4 and 5.
    struct Files: ~Copyable {
        let input: OwnedDescriptor
        let trustAnchors: OwnedDescriptor
        let timestampAnchors: OwnedDescriptor
        let ownAnchors: OwnedDescriptor
    }

    /// The runtime shall write no backtraces of what a stranger's file has done.
    private static let environment = ["SWIFT_BACKTRACE=enable=no"]

    /// Blocks until the program runs. It is the first of its own process group, and ``InspectorWatch`` must collect it.
    init(executable: String, arguments: [String], files: borrowing Files, limits: InspectionLimits) throws(InspectionError) {
        let answer = try Pipe.make()
        let complaint = try Pipe.make()

        let places = [
            files.input.number, answer.write.number, complaint.write.number, files.trustAnchors.number, files.timestampAnchors.number,
            files.ownAnchors.number,
        ]
        var child: pid_t = 0
        let status = Self.withCStrings([executable] + arguments) { arguments in
            Self.withCStrings(Self.environment) { environment in
                rial_spawn(executable, arguments, environment, places, places.count, &child)
            }
        }
        guard status == 0 else { throw .unavailable("\(executable): \(String(cString: strerror(status)))") }
        id = child
        output = answer.read
        complaints = complaint.read

        // The program limits itself as well, before it reads; this holds even where it would not.
        var bounds = limits.sandbox
        _ = rial_limit_child(child, &bounds)
    }

    private static func withCStrings<T>(_ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> T) -> T {
        let copies = strings.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        return body(copies + [nil])
    }
}

extension InspectionLimits {
    var sandbox: rial_sandbox_limits {
        rial_sandbox_limits(
            memory_bytes: UInt64(clamping: memoryBytes), cpu_seconds: UInt64(clamping: cpuSeconds),
            wall_seconds: UInt32(clamping: orphanSeconds))
    }
}
