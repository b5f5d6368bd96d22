public import CSandbox
import Foundation

/// The process of a sandboxed program, for the program itself: it enters the sandbox, writes its output and ends.
public enum SandboxedProcess {
    /// Ends the process with status 78 if there is no sandbox.
    public static func enterSandbox(_ limits: rial_sandbox_limits) {
        var limits = limits
        let status = rial_sandbox_enter(&limits)
        guard status == 0 else { fail(78, "no sandbox: \(String(cString: strerror(status)))") }
    }

    /// Ends the process with status 78 unless the sandbox, which it has entered, blocks everything that it must.
    public static func testSandbox() {
        if let breach = rial_sandbox_breach() { fail(78, "the sandbox does not block: \(String(cString: breach))") }
    }

    /// Writes all bytes to descriptor 1.
    /// - Returns: false if the reader is gone.
    public static func write(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Foundation.write(STDOUT_FILENO, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    /// Ends the process with a message on descriptor 2.
    public static func fail(_ status: Int32, _ sentence: String) -> Never {
        let line = sentence + "\n"
        _ = line.withCString { Foundation.write(STDERR_FILENO, $0, strlen($0)) }
        _exit(status)
    }
}
