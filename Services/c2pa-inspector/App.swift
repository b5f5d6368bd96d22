import CaptureProtocol
import ContentCredentials
import Foundation
import Inspection
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
            SandboxedProcess.fail(
                64, "usage: c2pa-inspector [--self-test] [--media-type TYPE] [--memory-bytes N] [--cpu-seconds N] [--wall-seconds N]")
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
            SandboxedProcess.fail(78, "anchors: \(error)")
        }
        SandboxedProcess.enterSandbox(settings.limits)
        let report = reader.read(fileDescriptor: STDIN_FILENO, mediaType: settings.mediaType, at: .now)
        guard let json = try? WireJSON.encode(report), SandboxedProcess.write(json) else { exit(1) }
        // Skip the exit handlers of exit(3): there is nothing to flush, and the library's clean-up is not needed.
        _exit(0)
    }

    /// Exits with 0 if the sandbox blocks everything that it must.
    private static func selfTest(_ settings: Settings) -> Never {
        SandboxedProcess.enterSandbox(settings.limits)
        SandboxedProcess.testSandbox()
        _exit(0)
    }
}
