import CSandbox
import CaptureProtocol
import ContentCredentials
import Foundation
import Models

/// Reads the Content Credentials of one untrusted file and writes a report as JSON.
///
/// The file is descriptor 0. The report, a `CredentialReport`, goes to descriptor 1, which must not be a regular file. Descriptors 3, 4 and
/// 5 are PEM trust anchors for signers, for time-stamp authorities and for our own signers; each may be empty. Before it reads the first
/// byte, the process enters a sandbox: no files, network, programs or child processes, and little memory and time.
///
/// Exit status: 0 with a report, 64 for wrong arguments, 78 with a message on descriptor 2 if it could not start.
@main
enum App {
    static func main() {
        guard let settings = Settings(CommandLine.arguments.dropFirst()) else {
            fail(64, "usage: c2pa-inspector [--self-test] [--media-type TYPE] [--memory-bytes N] [--cpu-seconds N] [--wall-seconds N]")
        }
        if settings.isSelfTest { selfTest(settings) }
        let reader: CredentialReader
        do {
            let anchors = try AnchorText.read(descriptor: 3)
            let timestampAnchors = try AnchorText.read(descriptor: 4)
            let ownAnchors = try AnchorText.read(descriptor: 5)
            reader = try CredentialReader(trustAnchorsPEM: anchors, ownAnchorsPEM: ownAnchors, timestampAnchorsPEM: timestampAnchors)
            // Encode once before the sandbox: the first encoding initializes what later ones need.
            _ = try WireJSON.encode(CredentialReport(state: .none))
        } catch {
            fail(78, "anchors: \(error)")
        }
        enterSandbox(settings)
        let report = reader.read(fileDescriptor: STDIN_FILENO, mediaType: settings.mediaType, at: .now)
        guard let json = try? WireJSON.encode(report), write(json) else { exit(1) }
        // Skip the exit handlers of exit(3): there is nothing to flush, and the library's clean-up is not needed.
        _exit(0)
    }

    /// Exits with 0 if the sandbox blocks everything that it must.
    private static func selfTest(_ settings: Settings) -> Never {
        enterSandbox(settings)
        if let breach = rial_sandbox_breach() { fail(78, "the sandbox does not block: \(String(cString: breach))") }
        _exit(0)
    }

    private static func enterSandbox(_ settings: Settings) {
        var limits = settings.limits
        let status = rial_sandbox_enter(&limits)
        guard status == 0 else { fail(78, "no sandbox: \(String(cString: strerror(status)))") }
    }

    private static func write(_ bytes: [UInt8]) -> Bool {
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

    private static func fail(_ status: Int32, _ sentence: String) -> Never {
        let line = sentence + "\n"
        _ = line.withCString { Foundation.write(STDERR_FILENO, $0, strlen($0)) }
        _exit(status)
    }
}
