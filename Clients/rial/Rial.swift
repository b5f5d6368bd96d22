import ArgumentParser
import CaptureProtocol
import Foundation
import Logging

/// The command-line client: a simulated device, a reader of evidence, and the operator's tools.
@main
struct Rial: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rial",
        abstract: "Sends captures to rial., shows their evidence, and looks after an installation.",
        discussion: """
            Commands that talk to the API read RIAL_PUBLIC_URL; those for operators read the same RIAL_ variables as the \
            services, secrets also from files (RIAL_…_FILE). `make up` writes them to .local/stack.env.
            """,
        version: Product.version,
        subcommands: [
            DemoCommand.self, DeviceCommand.self, CaptureCommand.self, SceneCommand.self, LoadCommand.self,
            PageLoadCommand.self, SoakCommand.self, VerifyCommand.self, DeadLetterCommand.self, AdminCommand.self,
        ])

    static func main() async {
        // A peer that goes away is an error of the write, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        let level = ProcessInfo.processInfo.environment["RIAL_LOG_LEVEL"].flatMap(Logger.Level.init(rawValue:))
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            // Failures are told in a sentence of the command's own.
            handler.logLevel = level ?? .critical
            return handler
        }
        await main(nil)
    }
}
