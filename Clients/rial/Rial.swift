import ArgumentParser
import CaptureProtocol
import Foundation
import Logging
import ServiceRuntime
import TransparencyLog

/// The command-line client: a simulated device, a reader of evidence, and the operator's tools.
@main
struct Rial: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rial",
        abstract: "Sends captures to rial., shows their evidence, and looks after an installation.",
        discussion: """
            Commands that use the API read RIAL_PUBLIC_URL; operators' commands read the same RIAL_ variables as the services. \
            Secrets can also be in files (RIAL_…_FILE). `make up` writes the variables to .local/stack.env.
            """,
        version: Product.version,
        subcommands: [
            DemoCommand.self, DeviceCommand.self, CaptureCommand.self, VideoCommand.self, QueueCommand.self, SettingsCommand.self,
            SceneCommand.self, LoadCommand.self, PageLoadCommand.self, SoakCommand.self, VerifyCommand.self, BundleCommand.self,
            DeadLetterCommand.self,
            LogCommand.self, WitnessCommand.self, AdminCommand.self,
        ])

    static func main() async {
        // A write to a closed connection must fail instead of ending the process.
        signal(SIGPIPE, SIG_IGN)
        // The kernel ignores for process 1, as a container's is, what ends any other: without this, only SIGKILL would end it.
        if getpid() == 1 { for ending in [SIGTERM, SIGINT] { signal(ending) { _exit(128 + $0) } } }
        let level = (try? ServiceEnvironment().logLevel()) ?? .critical
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            // Commands report failures themselves, in a sentence.
            handler.logLevel = level
            return handler
        }
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            if Console.hasLostResults { throw Console.ResultsLost() }
        } catch {
            let code = exitCode(for: error, of: CommandLine.arguments)
            // Help, which is ours.
            guard !code.isSuccess else { exit(withError: error) }
            // Lost results were told when they were lost.
            let text = error is Console.ResultsLost ? "" : fullMessage(for: error)
            if !text.isEmpty { Console.progress(text) }
            exit(withError: code)
        }
    }

    /// SPEC §14: 2 says of a bundle that the command was misused, too, and not 1, which would say that it is wrong.
    static func exitCode(for error: any Error, of arguments: [String]) -> ExitCode {
        let code = exitCode(for: error)
        guard code == .validationFailure || error is Console.ResultsLost,
            arguments.contains(where: { $0 == "--bundle" || $0.hasPrefix("--bundle=") })
        else { return code }
        return ExitCode(BundleReport.Outcome.unreadable.exitCode)
    }
}

/// Sends captures and shows their evidence.
struct CaptureCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capture",
        abstract: "Sends a capture, shows one with its evidence, or withdraws it.",
        subcommands: [CaptureSend.self, CaptureShow.self, CaptureWithdraw.self])
}

/// Registers and shows a simulated device; revokes, restores and audits any device, and lists the revoked ones.
struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Registers, shows, revokes and restores devices, and lists those that are revoked.",
        discussion: """
            `register` and `show` are for a simulated device, with attestations in Apple's format under a development root; the \
            server has to be in development mode and trust this root. The other commands are for operators and any device.
            """,
        subcommands: [
            DeviceRegister.self, DeviceShow.self, DeviceRevoke.self, DeviceRestore.self, DeviceAudit.self, DeviceRevocations.self,
        ])
}

/// Lists and re-drives dead letters.
struct DeadLetterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dlq",
        abstract: "Lists, shows and re-drives dead letters.",
        discussion: "Reads RIAL_KAFKA_BROKERS, and RIAL_DATABASE_URL for `redrive --capture`.",
        subcommands: [DeadLetterList.self, DeadLetterShow.self, DeadLetterRedrive.self])
}

/// Prepares what the services need before they start, lists damaged and missing media, and assesses captures again or withdraws them.
struct AdminCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admin",
        abstract:
            "Prepares database, topics, bucket and the development root, lists damage, compares backups, reassesses and withdraws captures.",
        discussion: "The commands may be repeated, and wait up to a minute for a dependency that is still starting.",
        subcommands: [
            AdminMigrate.self, AdminTopics.self, AdminBucket.self, AdminDevelopmentRoot.self, AdminSigningIdentity.self,
            AdminDamage.self, AdminBackupCheck.self, AdminReassess.self, AdminWithdraw.self, AdminErased.self,
        ])
}
